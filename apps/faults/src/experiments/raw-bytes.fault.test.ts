import { setImmediate } from 'node:timers/promises'
import { type Random, RawConnection, type WireResponse } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { emptyDatabase, KINDS } from '../harness/database.ts'
import { randomOf, report, size } from '../harness/experiment.ts'
import { figures, idIn, Ledger } from '../harness/ledger.ts'
import { listAllPets } from '../harness/list-all-pets.ts'
import { type RawRequest, rawRequests } from '../harness/raw-requests.ts'
import { Service } from '../harness/service.ts'

const CONNECTIONS = size(300, 20_000)
const AT_ONCE = 8

/** What the client does when it has sent everything. */
type Ending = 'wait' | 'half-close' | 'destroy'

const ENDINGS: readonly Ending[] = ['wait', 'wait', 'half-close', 'half-close', 'destroy']

interface Conversation {
  readonly requests: readonly RawRequest[]
  readonly ending: Ending
  readonly responses: readonly WireResponse[]
  readonly rest: string
}

async function converse(service: Service, random: Random, number: number): Promise<Conversation> {
  const requests = rawRequests(random, service.key, number)
  const isIncomplete = requests.some((request) => request.isIncomplete)
  const ending = random.pick(isIncomplete ? ENDINGS.filter((one) => one !== 'wait') : ENDINGS)
  const connection = await RawConnection.open(service.port)
  const bytes = Buffer.concat(requests.map((request) => request.bytes))
  const pieces = random.pick([1, 1, 1, 2, 5])
  for (let piece = 0; piece < pieces; piece += 1) {
    connection.write(
      bytes.subarray((bytes.length * piece) / pieces, (bytes.length * (piece + 1)) / pieces),
    )
    if (piece + 1 < pieces) await setImmediate()
  }
  if (ending === 'destroy') {
    await setImmediate()
    connection.socket.destroy()
  }
  if (ending === 'half-close') connection.end()
  const responses: WireResponse[] = []
  while (connection.isOpen && (ending !== 'wait' || responses.length < requests.length)) {
    const response = await connection.nextResponse()
    if (response === undefined) break
    responses.push(response)
  }
  connection.end()
  const rest = ending === 'destroy' ? '' : await connection.text()
  return { requests, ending, responses: [...responses, ...connection.responses], rest }
}

/** What is wrong with the responses of one connection; nothing if all is well. */
function faultsIn({ requests, ending, responses, rest }: Conversation): readonly string[] {
  const faults: string[] = []
  if (rest !== '') faults.push(`${rest.length} bytes after the last response`)
  for (const [number, request] of requests.entries()) {
    const response = responses[number]
    const label = `${request.kind} (${number})`
    if (request.expected === 'any') return faults
    if (response === undefined) {
      if (ending !== 'destroy') faults.push(`${label} has no response`)
      return faults
    }
    const { status, headers } = response
    const isClosing = headers['connection'] === 'close'
    if (request.expected === 'broken') {
      if (status < 400 || status === 500 || status > 501) faults.push(`${label} has ${status}`)
      if (!isClosing) faults.push(`${label} leaves the connection open`)
    } else {
      if (!request.expected.includes(status)) faults.push(`${label} has ${status}`)
      if (headers['x-request-id'] !== request.requestId)
        faults.push(`${label} has the response of another request`)
    }
    if (isClosing) {
      if (responses.length > number + 1)
        faults.push(`${label} closes the connection, and a response follows`)
      return faults
    }
  }
  return faults
}

async function runFuzzer(name: string, databaseUrl: string): Promise<void> {
  const random = randomOf(name)
  const service = await Service.start({ databaseUrl })
  const faults = new Map<string, number>()
  const ledger = new Ledger()
  const statuses = new Map<number, number>()
  let requests = 0
  let next = 0

  async function work(): Promise<void> {
    while (next < CONNECTIONS) {
      const number = next
      next += 1
      const conversation = await converse(service, random, number)
      requests += conversation.requests.length
      for (const { status } of conversation.responses)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      for (const fault of faultsIn(conversation)) {
        const kinds = conversation.requests.map(({ kind }) => kind).join(', ')
        const key = `${fault}; ${conversation.ending}; ${kinds}`
        faults.set(key, (faults.get(key) ?? 0) + 1)
      }
      noteCreations(conversation, ledger)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))

  const findings = ledger.compare(await listAllPets(service))
  const byStatus = [...statuses].sort().map(([status, times]) => `${times} × ${status}`)
  report(name, {
    connections: CONNECTIONS,
    requests,
    ...figures(findings),
    statuses: byStatus.join(' '),
  })
  expect([...faults.keys()].slice(0, 20)).toEqual([])
  // A pet without a response is stored only where the client itself broke the connection; those are
  // the unknown ones.
  expect(findings).toMatchObject({
    lost: [],
    duplicated: [],
    storedThoughRejected: [],
    foreign: [],
  })
}

/**
 * Notes each creation: acknowledged by a response with its name, unknown after the client's break,
 * else not to be stored.
 */
function noteCreations({ requests, responses, ending }: Conversation, ledger: Ledger): void {
  for (const { name } of requests) {
    if (name === undefined) continue
    const response = responses.find(
      ({ status, text }) => status === 201 && text.includes(JSON.stringify(name)),
    )
    if (response !== undefined) expect(idIn(response.text)).not.toBe('')
    if (response !== undefined || ending === 'destroy') ledger.note(name, response)
    else ledger.noteUnanswered(name)
  }
}

it.each(KINDS)('the service accounts for every raw request, on %s', async (kind) => {
  await runFuzzer(`raw bytes on ${kind}`, await emptyDatabase(kind))
})
