import { MemorySocket, type NetworkLink } from '@pet-store/testing'
import {
  type ErrorFields,
  type ScriptedDatabase,
  ScriptedSession,
} from '@pet-store/testing-postgres'
import type { SeededScript } from './seeded-script.ts'

export interface ServerNodeOptions {
  readonly database: ScriptedDatabase
  readonly script: SeededScript
  readonly severity: string
  readonly link: () => NetworkLink
  readonly onFailure: (error: Error) => void
}

/** What a server that is down does with new connections. */
export type Down = 'refuses' | 'ignores' | 'is starting'

const STARTING: Omit<ErrorFields, 'severity'> = {
  code: '57P03',
  message: 'the database system is starting up',
}

/** A server that accepts connections, with its sessions. */
export class ServerNode {
  readonly #options: ServerNodeOptions
  readonly #sessions = new Set<ScriptedSession>()
  #down: Down | undefined
  readonly #ignored = new Set<MemorySocket>()

  constructor(options: ServerNodeOptions) {
    this.#options = options
  }

  /** How many sessions are open. */
  get sessions(): number {
    return this.#sessions.size
  }

  accept(socket: MemorySocket): void {
    setImmediate(() => this.#accept(socket))
  }

  #accept(socket: MemorySocket): void {
    if (socket.destroyed) return
    if (this.#down === 'refuses') {
      socket.destroy(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
      return
    }
    if (this.#down === 'ignores') {
      this.#ignored.add(socket)
      return
    }
    const end = new MemorySocket({ allowHalfOpen: true })
    MemorySocket.join(socket, end, this.#options.link)
    const { database, script, severity, onFailure } = this.#options
    const session = new ScriptedSession(end, {
      database,
      script,
      severity,
      onFailure,
      onEnd: () => this.#sessions.delete(session),
    })
    this.#sessions.add(session)
    socket.connected()
    if (this.#down === 'is starting') session.crash({ severity: 'FATAL', ...STARTING })
  }

  /** Ends some sessions at once. */
  crash(error?: ErrorFields, isHit: () => boolean = () => true): void {
    for (const session of [...this.#sessions]) if (isHit()) session.crash(error)
  }

  goDown(down: Down): void {
    this.#down = down
  }

  comeUp(): void {
    this.#down = undefined
    const timedOut = Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' })
    for (const socket of this.#ignored) socket.destroy(timedOut)
    this.#ignored.clear()
  }

  /** Ends silent sessions, as a firewall does that has lost its connections. */
  breakSilentSessions(): void {
    for (const session of [...this.#sessions]) if (session.isSilent) session.crash()
  }
}
