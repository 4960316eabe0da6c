import type { Random } from '@pet-store/testing'
import {
  type Database,
  type SqliteAction,
  type SqliteFault,
  type SqliteWorld,
  setSqliteWorld,
} from '../drivers/simulated-sqlite.ts'
import { UNSTORABLE } from '../unstorable.ts'
import { pause } from './virtual-time.ts'
import type { Backend } from './world.ts'
import type { StoredPet } from './world-ledger.ts'

const CODES: Readonly<Record<SqliteAction, readonly string[]>> = {
  begin: ['SQLITE_BUSY', 'SQLITE_BUSY', 'SQLITE_IOERR_LOCK', 'SQLITE_CANTOPEN', 'SQLITE_READONLY'],
  commit: [
    'SQLITE_FULL',
    'SQLITE_IOERR_FSYNC',
    'SQLITE_IOERR_WRITE',
    'SQLITE_NOMEM',
    'SQLITE_BUSY',
  ],
  read: [
    'SQLITE_BUSY_RECOVERY',
    'SQLITE_IOERR_READ',
    'SQLITE_CORRUPT',
    'SQLITE_NOTADB',
    'SQLITE_NOMEM',
  ],
  write: ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_CORRUPT', 'SQLITE_READONLY', 'SQLITE_NOMEM'],
}

/** A disk, and other processes that lock the file, as the seed decides. */
export class SimulatedFiles implements Backend, SqliteWorld {
  readonly hasVirtualClock = false
  readonly #random: Random
  readonly #probability: number
  readonly #actions: readonly SqliteAction[]
  readonly #open = new Set<Database>()
  #isCalm = true
  #lockedUntil = 0
  #isFull = false
  #last: readonly StoredPet[] = []
  #problem: string | undefined

  constructor(random: Random) {
    this.#random = random
    this.#probability = random.pick([0, 0.01, 0.03, 0.1, 0.3])
    const actions: readonly SqliteAction[] = ['begin', 'commit', 'read', 'write']
    this.#actions = random.next() < 0.5 ? actions : [random.pick(actions)]
    setSqliteWorld(this)
  }

  at(action: SqliteAction, values: readonly unknown[]): SqliteFault | undefined {
    // The schema may have a rule that a value violates; the statement alone fails.
    if (action === 'write' && values.flat().some((value) => String(value).includes(UNSTORABLE)))
      return { code: 'SQLITE_CONSTRAINT_CHECK', ends: 'nothing' }
    if (this.#isCalm) return undefined
    if (action === 'begin' && performance.now() < this.#lockedUntil)
      return { code: 'SQLITE_BUSY', ends: 'nothing' }
    if (action === 'write' && this.#isFull) return { code: 'SQLITE_FULL', ends: 'by rollback' }
    const isHit = this.#actions.includes(action) && this.#random.next() < this.#probability
    return isHit ? this.#faultAt(action) : undefined
  }

  #faultAt(action: SqliteAction): SqliteFault {
    const code = this.#random.pick(CODES[action])
    const isOver = this.#random.next() < 0.5
    // The log may have been written although the disk did not say so.
    if (code === 'SQLITE_IOERR_FSYNC') return { code, ends: isOver ? 'by commit' : 'by rollback' }
    return { code, ends: isOver && action !== 'read' ? 'by rollback' : 'nothing' }
  }

  async disturb(isOver: () => boolean): Promise<void> {
    const random = this.#random
    this.#isCalm = false
    const isEventful = random.next() < 0.5
    while (!isOver() && isEventful) {
      await pause(random.pick([1, 20, 100, 500, 2_000]))
      if (random.next() < 0.5) this.#lockedUntil = performance.now() + random.pick([5, 300, 7_000])
      else this.#isFull = !this.#isFull
    }
  }

  calmDown(): void {
    this.#isCalm = true
  }

  onOpen(database: Database): void {
    this.#open.add(database)
  }

  onClose(database: Database): void {
    if (!database.open) return
    if (database.inTransaction) this.#problem = 'a transaction is left'
    else this.#last = petsOf(database)
    this.#open.delete(database)
  }

  storedPets(): readonly StoredPet[] {
    const [database] = this.#open
    return database === undefined ? this.#last : petsOf(database)
  }

  get left(): string | undefined {
    return this.#open.size > 0 ? `${this.#open.size} databases are left open` : this.#problem
  }

  toString(): string {
    return `errors at ${this.#actions.join(', ')}, ${this.#probability}`
  }
}

function petsOf(database: Database): readonly StoredPet[] {
  const all = database.prepare('select id, name, category_id as categoryId, status from pet')
  const rows = all.safeIntegers().all() as (Omit<StoredPet, 'id' | 'categoryId'> & {
    readonly id: bigint
    readonly categoryId: bigint
  })[]
  return rows.map((pet) => ({ ...pet, id: `${pet.id}`, categoryId: `${pet.categoryId}` }))
}
