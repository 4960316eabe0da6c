// A release behind a proxy, and the errors of the proxies, with their own programs and the files of
// deploy/.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { Agent, createServer } from 'node:http'
import { join } from 'node:path'
import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { RawConnection, temporaryFolder, until } from '@pet-store/testing'
import { freePort } from '@pet-store/testing-postgres'
import { expect, it, onTestFinished } from 'vitest'
import { itLong, report } from '../harness/experiment.ts'
import { ProxiedClients } from '../harness/proxied-clients.ts'
import { Service } from '../harness/service.ts'

const DEPLOY = new URL('../../../../deploy/', import.meta.url)
const RESTARTS = 6

/** A proxy: its files, and how it is started on a folder with them. */
const PROXIES = {
  nginx: {
    files: ['nginx/pet-store.conf', 'nginx/upstream-machine.conf'],
    // One process, so that no worker is left when it is killed.
    main: (folder: string, names: readonly string[]) =>
      `pid ${folder}/pid; error_log ${folder}/error.log; daemon off; master_process off; events {}
      http { access_log off;
      ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${folder}/${name};`)
        .join(' ')}
      ${names.map((name) => `include ${folder}/${name};`).join(' ')} }`,
    args: (folder: string) => ['-e', `${folder}/error.log`, '-c', `${folder}/main.conf`],
    shutdownDelay: '1s',
  },
  haproxy: {
    files: ['haproxy/haproxy.cfg'],
    main: () => '',
    args: (folder: string) => ['-q', '-f', `${folder}/haproxy.cfg`],
    shutdownDelay: '5s',
  },
} as const

const names = Object.keys(PROXIES) as (keyof typeof PROXIES)[]

/** Starts a proxy before two instances; `undefined` if its program is not installed. */
async function startProxy(
  name: keyof typeof PROXIES,
  ports: Readonly<Record<'8080' | '8081' | '8082', number>>,
): Promise<ChildProcess | undefined> {
  const { files, main, args } = PROXIES[name]
  const folder = await temporaryFolder()
  const copies = files.map((file) => file.replace(/^.*\//, ''))
  for (const [index, file] of files.entries()) {
    const text = await readFile(new URL(file, DEPLOY), 'utf8')
    const moved = text.replace(/\b808[012]\b/g, (port) => String(ports[port as keyof typeof ports]))
    await writeFile(join(folder, copies[index] ?? ''), moved)
  }
  await writeFile(join(folder, 'main.conf'), main(folder, copies))
  const proxy = spawn(name, args(folder), { stdio: ['ignore', 'ignore', 'inherit'] })
  const isInstalled = await Promise.race([
    once(proxy, 'spawn').then(() => true),
    once(proxy, 'error').then(() => false),
  ])
  if (!isInstalled) return undefined
  onTestFinished(() => void proxy.kill('SIGKILL'))
  return proxy
}

/** Two instances on one database, with the same key, on two ports. */
async function startInstances(shutdownDelay: string) {
  const key = createApiKeyText()
  const databaseUrl = `sqlite:${join(await temporaryFolder(), 'pets.db')}`
  const settings = {
    API_KEYS_SHA256: `release=${hashApiKey(key)}`,
    SHUTDOWN_DELAY: shutdownDelay,
    TRUST_PROXY: '1',
  }
  const one = await Service.start({ databaseUrl, settings })
  const two = await Service.start({ databaseUrl, settings })
  return { key, instances: [one, two] as const }
}

itLong.for(names)(
  'a release behind %s fails no request, on kept or fresh connections',
  async (name, { skip }) => {
    const { key, instances } = await startInstances(PROXIES[name].shutdownDelay)
    const port = await freePort()
    const [{ port: first }, { port: second }] = instances
    const proxy = await startProxy(name, { 8080: port, 8081: first, 8082: second })
    if (proxy === undefined) return skip(`needs ${name}`)
    const clients = new ProxiedClients(port, key)
    await until(`${name} serves`, async () => (await clients.ask()) === '200')

    const kept = new Agent({ keepAlive: true })
    clients.start(10, kept)
    clients.start(5)
    for (let restarts = 0; restarts < RESTARTS; restarts += 1) {
      const instance = instances[restarts % 2] ?? instances[0]
      expect(await instance.end('SIGTERM')).toBe(0)
      // Until it is ready, as in docs/how-to/deploy.md.
      await instance.start()
    }
    const counts = await clients.stop()
    kept.destroy()
    report(`release behind ${name}`, { restarts: RESTARTS, ...counts })
    expect(Object.keys(counts).sort()).toEqual(['200', '201'])
  },
)

it.for(names)(
  '%s sends an Error body where no response comes, and says whether a pet may have been added',
  async (name, { skip }) => {
    const port = await freePort()
    const instance = await freePort()
    const ports = { 8080: port, 8081: instance, 8082: instance }
    if ((await startProxy(name, ports)) === undefined) return skip(`needs ${name}`)
    // Each on a connection of its own: HAProxy closes a kept one without a response.
    const send = (line: string) =>
      new RawConnection(port).write(`${line}\r\nConnection: close\r\n\r\n`).nextResponse()
    const messageOf = async () => {
      const response = await send('POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 0')
      if (response === undefined) return undefined
      const { code, message, status } = JSON.parse(response.text) as Record<string, unknown>
      expect([code, status]).toEqual(['service_unavailable', response.status])
      return message
    }
    await until(`${name} listens`, async () => (await messageOf()) !== undefined)
    expect(await messageOf()).toBe('No instance is available.')

    // An instance that is healthy, but breaks off.
    const breaking = createServer(({ url, socket }, res) =>
      url === '/readyz' ? void res.end() : void socket.destroy(),
    )
    await once(breaking.listen(instance, '127.0.0.1'), 'listening')
    onTestFinished(() => void breaking.close())
    const isReady = async () => (await send('GET /readyz HTTP/1.1\r\nHost: x'))?.status === 200
    await until(`${name} uses the instance`, isReady)
    expect(await messageOf()).toBe(
      'No response came from an instance. A POST may have added its pet.',
    )
    // HTTP/1.0 needs no `Host`.
    expect(await send('GET /readyz HTTP/1.0')).toMatchObject({ status: 200 })
  },
)
