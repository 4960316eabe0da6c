import { setTimeout } from 'node:timers/promises'
import { RawConnection, requestBytes, until, type WireResponse } from '@pet-store/testing'
import type { Ledger } from './ledger.ts'
import type { Service } from './service.ts'

export interface WritersOptions {
  readonly service: Service
  readonly ledger: Ledger
  readonly writers: number
  /** Sends an idempotency key with each pet, and repeats the request until the outcome is known. */
  readonly withKeys: boolean
  /** The beginning of every name, so that several runs on one database have different names. */
  readonly prefix: string
  readonly responseTimeoutMs?: number
}

export interface RunningWriters {
  /**
   * Ends each writer after the pet that it is creating. A writer with an idempotency key goes on
   * until the service has acknowledged that pet.
   */
  stop(): Promise<void>
}

/**
 * How long a writer repeats a request with an idempotency key, before its outcome stays unknown.
 */
const KEYED_TIMEOUT_MS = 60_000

/** Starts clients that each create one pet after another, on a connection that stays open. */
export function startWriters(options: WritersOptions): RunningWriters {
  let isOver = false
  const all = Array.from({ length: options.writers }, (_, writer) =>
    writePets(options, `${options.prefix}-${writer}`, () => isOver),
  )
  return {
    async stop() {
      isOver = true
      await Promise.all(all)
    },
  }
}

/** Starts writers of which half send idempotency keys. */
export function startMixedWriters({
  writers,
  prefix,
  ...rest
}: Omit<WritersOptions, 'withKeys'>): RunningWriters {
  const half = { ...rest, writers: writers / 2 }
  const all = [
    startWriters({ ...half, withKeys: true, prefix: `${prefix}-keyed` }),
    startWriters({ ...half, withKeys: false, prefix: `${prefix}-plain` }),
  ]
  return {
    async stop() {
      await Promise.all(all.map((each) => each.stop()))
    },
  }
}

async function writePets(
  options: WritersOptions,
  prefix: string,
  isOver: () => boolean,
): Promise<void> {
  const { service, ledger, withKeys, responseTimeoutMs = 30_000 } = options
  let connection: RawConnection | undefined

  /** Returns an open connection to the service; waits while the service is starting. */
  async function connected(): Promise<RawConnection> {
    while (connection === undefined || !connection.isOpen) {
      connection?.socket.destroy()
      connection = await RawConnection.open(service.port).catch(() => undefined)
      if (connection === undefined) await setTimeout(20)
    }
    return connection
  }

  async function send(bytes: string): Promise<WireResponse | undefined> {
    const open = await connected()
    const response = await open.write(bytes).nextResponse(responseTimeoutMs)
    if (response === undefined || response.headers['connection'] === 'close') open.socket.destroy()
    return response
  }

  for (let number = 0; !isOver(); number += 1) {
    const name = `${prefix}-${number}`
    const body = JSON.stringify({ name, categoryId: number })
    const headers: Record<string, string> = withKeys ? { 'Idempotency-Key': name } : {}
    const bytes = requestBytes({
      method: 'POST',
      path: '/v1/pets',
      key: service.key,
      body,
      headers,
    })
    const giveUp = Date.now() + KEYED_TIMEOUT_MS
    while (!ledger.note(name, await send(bytes), withKeys) && withKeys && Date.now() < giveUp)
      await setTimeout(20)
  }
  connection?.socket.destroy()
}

/** Resolves when the writers have created `count` more pets. */
export async function untilMore(ledger: Ledger, count: number): Promise<void> {
  const enough = ledger.acknowledged + count
  await until(`${count} more pets are acknowledged`, () => ledger.acknowledged >= enough)
}
