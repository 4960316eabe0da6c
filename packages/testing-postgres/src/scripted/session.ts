import type { Duplex } from 'node:stream'
import { type ClientMessage, ClientMessages } from './client-messages.ts'
import {
  type Boundary,
  type Disruption,
  type ScriptedTransaction,
  type SessionOptions,
  StatementFailure,
} from './script.ts'
import { type ErrorFields, serverMessages } from './server-messages.ts'
import { SessionOutput } from './session-output.ts'
import { failure, type Portal, SessionStatements } from './session-statements.ts'
import { inTime, timedOut } from './statement-timeout.ts'
import { BEGIN, COMMIT, controlsTransaction, SET } from './transaction-commands.ts'

const TEXT = 25

/** Thrown to stop the current message when the session has ended. */
class Ended extends Error {}

/** One session of a server that does what a script says: start, simple and extended queries. */
export class ScriptedSession {
  readonly #stream: Duplex
  readonly #options: SessionOptions
  readonly #messages = new ClientMessages()
  readonly #queue: ClientMessage[] = []
  readonly #statements: SessionStatements
  readonly #output: SessionOutput
  #transaction: ScriptedTransaction | undefined
  #isExplicit = false
  #hasFailed = false
  #isSkipping = false
  #isRunning = false
  #isClosing = false
  #isEnded = false
  #statementTimeoutMs = 0

  constructor(stream: Duplex, options: SessionOptions) {
    this.#stream = stream
    this.#options = options
    this.#output = new SessionOutput(stream)
    this.#statements = new SessionStatements(options.database)
    stream.on('data', (chunk: Buffer) => {
      this.#queue.push(...this.#messages.take(chunk))
      void this.#run()
    })
    stream.on('error', () => {})
    // Messages that have arrived are still handled, as a server does.
    for (const event of ['end', 'close']) {
      stream.on(event, () => {
        this.#isClosing = true
        void this.#run()
      })
    }
  }

  /** Whether nothing that the session sends arrives any more. */
  get isSilent(): boolean {
    return this.#output.isSilent
  }

  /** Ends the session at once, as a crash of the server does: what is not committed is lost. */
  crash(error?: ErrorFields): void {
    if (this.#isEnded) return
    if (error !== undefined) this.#output.write(serverMessages.error(error))
    this.#end(error === undefined ? 'reset' : 'close')
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      for (;;) {
        const message = this.#queue.shift()
        if (message === undefined || this.#isEnded) break
        await this.#handle(message)
      }
      if (this.#isClosing) this.#end('close')
    } catch (error) {
      if (!(error instanceof Ended)) {
        this.#options.onFailure(error as Error)
        this.#end('reset')
      }
    } finally {
      this.#isRunning = false
    }
  }

  async #handle(message: ClientMessage): Promise<void> {
    if (this.#isSkipping && message.type !== 'sync' && message.type !== 'terminate') return
    try {
      await this.#execute(message)
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error
      this.#fail(error.fields)
      if (message.type === 'query') this.#sendReady()
      else this.#isSkipping = message.type !== 'sync'
      if (message.type === 'sync') this.#sendReady()
    }
  }

  async #execute(message: ClientMessage): Promise<void> {
    switch (message.type) {
      case 'startup':
        return this.#start(message.parameters)
      case 'ssl-request':
        this.#output.write(Buffer.from('N'))
        return this.#output.flush()
      case 'query':
        return this.#query(message.sql)
      case 'parse': {
        await this.#disrupt('parse')
        this.#statements.parse(message.name, message.sql)
        return this.#output.write(serverMessages.parseComplete())
      }
      case 'bind': {
        await this.#disrupt('bind')
        this.#statements.bind(message.portal, message.statement, message.values)
        return this.#output.write(serverMessages.bindComplete())
      }
      case 'describe':
        await this.#disrupt('describe')
        return this.#describe(message.of, message.name)
      case 'execute':
        return this.#executePortal(this.#statements.portal(message.portal))
      case 'close':
        if (message.of === 'S') this.#statements.close(message.name)
        return this.#output.write(serverMessages.closeComplete())
      case 'sync':
        return this.#sync()
      case 'flush':
        return this.#output.flush()
      case 'terminate':
      case 'cancel-request':
        this.#end('close')
    }
  }

  async #start(parameters: Readonly<Record<string, string>>): Promise<void> {
    this.#statementTimeoutMs = Number(parameters['statement_timeout'] ?? 0)
    await this.#disrupt('startup')
    this.#output.write(serverMessages.authenticationOk())
    const reported = { server_version: '18.0', server_encoding: 'UTF8', client_encoding: 'UTF8' }
    for (const [name, value] of Object.entries(reported))
      this.#output.write(serverMessages.parameterStatus(name, value))
    this.#output.write(serverMessages.backendKeyData(1, 1))
    this.#sendReady()
  }

  async #query(sql: string): Promise<void> {
    if (sql.trim() === '') this.#output.write(serverMessages.emptyQuery())
    else {
      const prepared = this.#statements.prepare(sql)
      const describes = prepared.statement.columns.length > 0
      await this.#executePortal({ ...prepared, values: [] }, describes)
    }
    await this.#sync()
  }

  async #executePortal({ statement, sql, values }: Portal, describes = false): Promise<void> {
    await this.#disrupt('execute')
    if (this.#isEnded) throw new Ended()
    if (controlsTransaction(sql)) return this.#control(sql)
    if (this.#hasFailed) throw failure('25P02', 'current transaction is aborted')
    this.#transaction ??= this.#options.database.begin()
    const { rows, tag } = await inTime(
      statement.run(values, this.#transaction),
      this.#statementTimeoutMs,
    )
    if (this.#isEnded) throw new Ended()
    if (describes) this.#output.write(serverMessages.rowDescription(statement.columns))
    for (const row of rows) this.#output.write(serverMessages.dataRow(row))
    await this.#disrupt('complete')
    this.#output.write(serverMessages.commandComplete(tag))
  }

  async #control(sql: string): Promise<void> {
    const text = sql.trim()
    if (BEGIN.test(text)) {
      this.#isExplicit = true
      this.#transaction ??= this.#options.database.begin()
      return this.#output.write(serverMessages.commandComplete('BEGIN'))
    }
    if (SET.test(text)) return this.#output.write(serverMessages.commandComplete('SET'))
    this.#isExplicit = false
    const commits = COMMIT.test(text) && !this.#hasFailed
    this.#hasFailed = false
    if (commits) return this.#commit('COMMIT')
    this.#rollback()
    this.#output.write(serverMessages.commandComplete('ROLLBACK'))
  }

  async #sync(): Promise<void> {
    if (!this.#isExplicit && !this.#isSkipping && this.#transaction !== undefined)
      await this.#commit(undefined)
    this.#isSkipping = false
    if (!this.#isExplicit) this.#statements.endPortals()
    this.#sendReady()
  }

  async #commit(tag: string | undefined): Promise<void> {
    await this.#disrupt('commit')
    this.#transaction?.commit()
    this.#transaction = undefined
    if (tag !== undefined) this.#output.write(serverMessages.commandComplete(tag))
    await this.#disrupt('ready')
  }

  #describe(of: 'S' | 'P', name: string): void {
    const { statement } = of === 'S' ? this.#statements.get(name) : this.#statements.portal(name)
    if (of === 'S') {
      const types = Array.from({ length: statement.parameterCount }, () => TEXT)
      this.#output.write(serverMessages.parameterDescription(types))
    }
    const { columns } = statement
    if (columns.length === 0) this.#output.write(serverMessages.noData())
    else this.#output.write(serverMessages.rowDescription(columns))
  }

  /** Does what the script says. Throws a `StatementFailure` to fail the statement, or `Ended`. */
  async #disrupt(boundary: Boundary): Promise<void> {
    const disruption = this.#options.script.at(boundary, this.#transaction)
    if (disruption === undefined) return
    switch (disruption.kind) {
      case 'error':
        throw new StatementFailure(disruption.error)
      case 'notice':
        return this.#output.write(serverMessages.notice(disruption.error))
      case 'silence':
        this.#output.isSilent = true
        return
      case 'forget':
        return this.#statements.forget()
      case 'delay':
        return this.#delay(disruption.delayMs, boundary)
      case 'fatal':
        this.#output.write(serverMessages.error(disruption.error))
        return this.#endBy(disruption, 'close')
      case 'close':
      case 'reset':
        return this.#endBy(disruption, disruption.kind)
    }
  }

  #endBy({ commits }: Extract<Disruption, { commits: boolean }>, how: 'close' | 'reset'): never {
    if (commits && !this.#isExplicit) this.#transaction?.commit()
    this.#end(how)
    throw new Ended()
  }

  async #delay(delayMs: number, boundary: Boundary): Promise<void> {
    const limit = boundary === 'execute' ? this.#statementTimeoutMs : 0
    const isLate = limit > 0 && delayMs > limit
    await new Promise((resolve) => setTimeout(resolve, isLate ? limit : delayMs))
    if (this.#isEnded) throw new Ended()
    if (isLate) throw timedOut()
  }

  #fail(fields: ErrorFields): void {
    // An error of the script may have a translated severity already.
    const isTranslatable = fields.severity === 'ERROR'
    const severity = isTranslatable ? (this.#options.severity ?? 'ERROR') : fields.severity
    this.#output.write(serverMessages.error({ ...fields, severity }))
    if (this.#isExplicit) this.#hasFailed = true
    this.#rollback()
  }

  #rollback(): void {
    this.#transaction?.rollback()
    this.#transaction = undefined
  }

  #sendReady(): void {
    const inTransaction = this.#hasFailed ? 'E' : 'T'
    this.#output.write(serverMessages.readyForQuery(this.#isExplicit ? inTransaction : 'I'))
    this.#output.flush()
  }

  #end(how: 'close' | 'reset'): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#rollback()
    this.#queue.length = 0
    if (how === 'close') {
      this.#output.flush()
      this.#stream.end()
    } else this.#stream.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
    this.#options.onEnd?.()
  }
}
