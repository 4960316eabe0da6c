import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createDoor, type Server, type Socket } from 'node:net'
import type { OpenProvider, Provider } from './open-provider.ts'
import { emptyScene, type Scene } from './scene.ts'
import { type StateValues, setUpState } from './set-up-state.ts'
import type { StateParameters } from './state-parameters.ts'

/** Where a verification takes place: one address for all interactions, and a new provider behind it for each. */
export interface Stage {
  /** The base address of the provider. */
  readonly baseUrl: string
  /** Where the verifier posts the states of an interaction. */
  readonly statesUrl: string
  /** What went wrong on our side: states that are unknown, providers that did not open. */
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

/** Opens a stage. A provider is opened with the first connection after the states, when all of them are known. */
export async function openStage(openProvider: OpenProvider): Promise<Stage> {
  const problems = new Set<string>()
  let isInside = false
  let scene: Scene = emptyScene()
  let provider: Promise<Provider> | undefined

  async function clear(): Promise<void> {
    const last = await provider?.catch(() => undefined)
    provider = undefined
    scene = emptyScene()
    if (last === undefined) return
    last.server.closeAllConnections()
    if (last.server.listening) await new Promise((resolve) => last.server.close(resolve))
    await last.close()
  }

  async function change({ action, state, params }: StateChange): Promise<StateValues> {
    if (action === 'teardown') {
      isInside = false
      return {}
    }
    if (!isInside) await clear()
    isInside = true
    return state === '' ? {} : setUpState(scene, state, params)
  }

  /** Lets an interaction fail for a reason that is not the provider's. */
  function giveUp(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    problems.add(reason)
    provider = Promise.resolve(providerThatSays(reason))
  }

  async function admit(socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy())
    provider ??= openProvider(scene)
    await provider.catch(giveUp)
    // The connection itself is handed on: nothing of ours reads or writes it.
    ;(await provider).server.emit('connection', socket)
    socket.resume()
  }

  const door = createDoor({ pauseOnConnect: true }, (socket) => void admit(socket))
  const states = createServer((req, res) => {
    // Told of a failure, the verifier would go on to the next interaction without a word; told nothing, it ends this one.
    void readJson<StateChange>(req)
      .then(change)
      .catch(giveUp)
      .then((values) => answer(res, 200, values ?? {}))
  })
  const [doorUrl, statesUrl] = [await listen(door), await listen(states)]
  return {
    baseUrl: `${doorUrl}/v1`,
    statesUrl,
    problems,
    async close() {
      await clear()
      states.closeAllConnections()
      await Promise.all([door, states].map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

function providerThatSays(reason: string): Provider {
  const server = createServer((_req, res) => answer(res, 500, { message: reason }))
  return { server, close: async () => {} }
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function readJson<T>(req: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as T
}

function answer(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'Content-Type': 'application/json' })
  res.end(JSON.stringify(body))
}
