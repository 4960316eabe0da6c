import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** Load at fixed times, whatever the service responds. */
export interface OpenLoopOptions {
  readonly port: number
  readonly key: string
  /** Requests that begin each second. */
  readonly perSecond: number
  readonly seconds: number
  /** How many connections it opens; one that still waits for a response sends nothing. */
  readonly connections: number
  /** Creates pets; otherwise it lists them. */
  readonly creates: boolean
  /** Opens a connection for each request. */
  readonly reconnects?: boolean
}

export interface OpenLoopResult {
  /** Requests that had their time. */
  readonly planned: number
  /** Of these, requests that found every connection waiting for a response: TCP held these clients back. */
  readonly heldBack: number
  /** How many responses had each status; `0` counts requests whose connection broke. */
  readonly statuses: Readonly<Record<number, number>>
  readonly withoutRetryAfter: number
  /** Milliseconds from the planned time to the response of requests that were served. */
  readonly p50Ms: number
  readonly p99Ms: number
  /** The same for 503. */
  readonly rejectedP99Ms: number
  /** Responses a second while requests were sent, without those that came later. */
  readonly servedPerSecond: number
  readonly rejectedPerSecond: number
  /** Served a second after the first second, in which connections are accepted and each client learns of the overload. */
  readonly laterPerSecond: number
}

const PROGRAM = fileURLToPath(import.meta.resolve('./open-loop-program.ts'))

/** Sends requests from a process of its own, on the given processor: the load does not wait for this process. */
export async function sendOpenLoop({ core, ...options }: OpenLoopOptions & { core: number }): Promise<OpenLoopResult> {
  const node = [process.execPath, '--conditions=@pet-store/source', PROGRAM, JSON.stringify(options)] as const
  const [command, ...args] = onCore(core, node)
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(await text(child.stdout)) as OpenLoopResult
}

/** A command that runs on one processor only; on any where there is one, or the system has no `taskset`. */
export function onCore(
  core: number | undefined,
  command: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  const canPin = core !== undefined && availableParallelism() > 1 && existsSync('/usr/bin/taskset')
  return canPin ? ['taskset', '--cpu-list', String(core), ...command] : command
}
