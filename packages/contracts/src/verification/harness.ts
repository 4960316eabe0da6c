import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { listen, type OpenProvider, type Provider } from '../providers/open-provider.ts'
import { emptyFixture, type Fixture } from '../states/fixture.ts'
import { type StateParameters, type StateValues, setUpState } from '../states/set-up-state.ts'

/** Where the verifier connects: one address for all interactions, with a new provider for each. */
export interface Harness {
  /** The base address of the provider. */
  readonly baseUrl: string
  /** Where the verifier posts the states of an interaction. */
  readonly statesUrl: string
  /** Failures of the verification itself: unknown states, providers that did not open. */
  readonly problems: ReadonlySet<string>
  close(): Promise<void>
}

/** What the verifier posts: before an interaction its states one by one, and after it the same. */
interface StateChange {
  readonly action: 'setup' | 'teardown'
  /** Empty for an interaction without a state. */
  readonly state: string
  readonly params?: StateParameters
}

/**
 * Opens a harness. A provider is opened at the first connection after the states, when all of them
 * are known.
 */
export async function openHarness(
  openProvider: OpenProvider,
  openWithinMs: number,
): Promise<Harness> {
  const problems = new Set<string>()
  let isWithinInteraction = false
  let fixture: Fixture = emptyFixture()
  let provider: Promise<Provider> | undefined

  async function clear(): Promise<void> {
    const last = await provider?.catch(() => undefined)
    provider = undefined
    fixture = emptyFixture()
    if (last !== undefined) await closeProvider(last)
  }

  async function change({ action, state, params }: StateChange): Promise<StateValues> {
    if (action === 'teardown') {
      isWithinInteraction = false
      return {}
    }
    if (!isWithinInteraction) await clear()
    isWithinInteraction = true
    return state === '' ? {} : setUpState(fixture, state, params)
  }

  /** Makes an interaction fail for a reason that is not the provider's. */
  function fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    problems.add(reason)
    const server = createServer((_req, res) => sendJson(res, 500, { message: reason }))
    provider = Promise.resolve({ server, close: async () => {} })
  }

  async function connect(socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy())
    provider ??= openedWithin(openWithinMs, openProvider(fixture))
    await provider.catch(fail)
    // The provider gets the connection itself, so that no byte is changed on the way.
    ;(await provider).server.emit('connection', socket)
    socket.resume()
  }

  const connections = createTcpServer({ pauseOnConnect: true }, (socket) => void connect(socket))
  // Node would close a connection that is idle for seconds, as during a slow interaction, and the
  // verifier uses it again.
  const states = createServer({ keepAliveTimeout: 0 }, (req, res) => {
    // After an error response the verifier skips the interaction silently, so the provider reports
    // the reason instead.
    void (json(req) as Promise<StateChange>)
      .then(change)
      .catch(fail)
      .then((values) => sendJson(res, 200, values ?? {}))
  })
  const connectionsUrl = await listen(connections)
  const statesUrl = await listen(states)
  return {
    baseUrl: `${connectionsUrl}/v1`,
    statesUrl,
    problems,
    async close() {
      await clear()
      states.closeAllConnections()
      await Promise.all(
        [connections, states].map((server) => new Promise((resolve) => server.close(resolve))),
      )
    },
  }
}

/** Rejects when a provider takes too long to open; it is closed when it does after all. */
async function openedWithin(timeoutMs: number, opening: Promise<Provider>): Promise<Provider> {
  const tooLate = once(AbortSignal.timeout(timeoutMs), 'abort').then(() => {
    throw new Error(
      `The provider did not open within ${timeoutMs / 1000} s; nothing is known about the ` +
        'contract.',
    )
  })
  try {
    return await Promise.race([opening, tooLate])
  } catch (error) {
    void opening.then(closeProvider, () => {})
    throw error
  }
}

async function closeProvider({ server, close }: Provider): Promise<void> {
  server.closeAllConnections()
  if (server.listening) await new Promise((resolve) => server.close(resolve))
  await close()
}

function sendJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'Content-Type': 'application/json' })
  res.end(JSON.stringify(body))
}
