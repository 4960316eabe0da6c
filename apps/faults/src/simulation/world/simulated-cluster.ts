import type { Random } from '@pet-store/testing'
import { setNetwork } from '../drivers/simulated-pg.ts'
import { type Severities, sessionError, severitiesOf } from '../server/errors.ts'
import { chooseDisruptions, SeededScript, slowCommits } from '../server/seeded-script.ts'
import { ServerNode } from '../server/server-node.ts'
import { SimulatedDatabase } from '../server/simulated-database.ts'
import { networkLinkOf } from './clients/network-link.ts'
import { pause } from './virtual-time.ts'
import type { Backend } from './world.ts'
import type { StoredPet } from './world-ledger.ts'

/** A primary and a replica of it, which the seed breaks. */
export class SimulatedCluster implements Backend {
  readonly hasVirtualClock = true
  readonly #random: Random
  readonly #severities: Severities
  readonly #script: SeededScript
  readonly #disruptions
  readonly #onFailure: (error: Error) => void
  #database: SimulatedDatabase
  #nodes = new Map<string, ServerNode>()
  #lagMs = 0
  /** The position at which the replica stays until it goes on. */
  #haltedAt = Number.POSITIVE_INFINITY
  readonly #haltProbability: number

  /**
   * `isReordered`: some commits take long, and the replica stays behind each of some commits for a
   * while, so that it may lack the pets of smaller ids.
   */
  constructor(random: Random, isReordered: boolean, onFailure: (error: Error) => void) {
    this.#random = random
    this.#onFailure = onFailure
    this.#severities = severitiesOf(random)
    this.#disruptions = isReordered
      ? slowCommits(this.#severities)
      : chooseDisruptions(random, this.#severities)
    this.#haltProbability = isReordered ? 0.3 : 0
    this.#script = new SeededScript(random, this.#disruptions)
    this.#database = this.#createDatabase([])
    setNetwork((socket, host) => this.#nodes.get(host)?.accept(socket))
  }

  /** Has a new database, whose schema has these migrations. */
  start(names: readonly string[]): void {
    this.#database = this.#createDatabase(names)
  }

  #createDatabase(names: readonly string[]): SimulatedDatabase {
    const database = new SimulatedDatabase(this.#random, () => Date.now(), names)
    const common = {
      script: this.#script,
      severity: this.#severities.error,
      link: () => networkLinkOf(this.#random, () => this.#script.isCalm),
      onFailure: this.#onFailure,
    }
    // The replica may be one of another database.
    const foreign = new SimulatedDatabase(this.#random, () => Date.now(), names, 8n)
    foreign.addForeignPets(100)
    const replay = () => ({ untilMs: performance.now() - this.#lagMs, position: this.#haltedAt })
    const copied = this.#random.next() < 0.8 ? database : foreign
    this.#nodes = new Map([
      ['primary', new ServerNode({ ...common, database: database.node('sim') })],
      ['replica', new ServerNode({ ...common, database: copied.node('sim', replay) })],
    ])
    database.onCommit = () => this.#mayHaltReplica()
    return database
  }

  #mayHaltReplica(): void {
    if (this.#script.isCalm || this.#haltedAt < Number.POSITIVE_INFINITY) return
    if (this.#random.next() >= this.#haltProbability) return
    this.#haltedAt = this.#database.position
    setTimeout(() => this.#resumeReplica(), this.#random.pick([1_000, 5_000]))
  }

  #resumeReplica(): void {
    this.#haltedAt = Number.POSITIVE_INFINITY
  }

  async disturb(isOver: () => boolean): Promise<void> {
    const random = this.#random
    this.#script.isCalm = false
    const isEventful = random.next() < 0.5
    while (!isOver() && isEventful) {
      await pause(random.pick([1, 20, 100, 500, 2_000]))
      if (isOver()) break
      const what = random.next()
      if (what < 0.4) this.#lagMs = random.pick([0, 10, 500, 5_000])
      else if (what < 0.7) this.#endSomeSessions()
      else await this.#restart()
    }
  }

  #endSomeSessions(): void {
    const node = this.#anyNode()
    const isReset = this.#random.next() < 0.5
    const error = isReset ? undefined : { ...this.#fatal(), code: '57P01' }
    node.crash(error, () => this.#random.next() < 0.5)
  }

  async #restart(): Promise<void> {
    const random = this.#random
    const node = this.#anyNode()
    node.crash(random.next() < 0.5 ? undefined : this.#fatal())
    if (node === this.#nodes.get('primary')) this.#database.crash()
    node.goDown(random.pick(['refuses', 'ignores', 'is starting']))
    await pause(random.pick([1, 100, 1_500]))
    node.comeUp()
  }

  #fatal() {
    return sessionError(this.#random, this.#severities)
  }

  #anyNode(): ServerNode {
    return this.#random.pick([...this.#nodes.values()])
  }

  calmDown(): void {
    this.#script.isCalm = true
    this.#lagMs = 0
    this.#resumeReplica()
    for (const node of this.#nodes.values()) {
      node.comeUp()
      node.breakSilentSessions()
    }
  }

  storedPets(): readonly StoredPet[] {
    return this.#database.committed('pet').map(({ id, name, category_id, status }) => ({
      id: String(id),
      name: String(name),
      categoryId: String(category_id),
      status: status as string | null,
    }))
  }

  /** What should not be there when every instance is closed. */
  get left(): string | undefined {
    const sessions = [...this.#nodes.values()].reduce((sum, node) => sum + node.sessions, 0)
    if (sessions > 0) return `${sessions} sessions are left`
    return this.#database.isIdle ? undefined : 'a transaction is left'
  }

  toString(): string {
    const { kinds, probability, boundary } = this.#disruptions
    return `${kinds.join(', ')} at ${boundary ?? 'any boundary'}, ${probability}`
  }
}
