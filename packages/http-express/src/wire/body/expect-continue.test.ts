import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createStaticKeys, hashApiKey } from '@pet-store/access'
import { createPetUseCases } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { expect, it, onTestFinished } from 'vitest'
import { createPetApp, type HttpApp } from '../../create-pet-app.ts'
import { createPetServer } from '../../server/create-pet-server.ts'
import { API_KEY } from '../../testing/start-test-server.test-support.ts'

const PET = '{"name":"Rex","categoryId":1}'
const log = { request() {}, internalError() {} }

it.each([
  ['createPetServer', (app: HttpApp) => createPetServer(app, log)],
  ['createServer of Node', (app: HttpApp) => createServer(app)],
])('a client that waits for 100 Continue gets it once from %s', async (_name, create) => {
  const app = createPetApp({
    pets: createPetUseCases(createMemoryPets()),
    tokenCheck: createStaticKeys([{ keyId: 'test-key', sha256: hashApiKey(API_KEY) }]),
    log,
    readiness: async () => ({}),
  })
  const server = create(app).listen(0)
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const headers = {
    Authorization: `Bearer ${API_KEY}`,
    'Content-Type': 'application/json',
    'Content-Length': PET.length,
    Expect: '100-continue',
  }
  const req = request({ port, method: 'POST', path: '/v1/pets', headers, agent: false })
  let continues = 0
  req.on('continue', () => {
    continues += 1
    req.end(PET)
  })
  req.flushHeaders()
  const created = await new Promise<string>((resolve, reject) => {
    req.on('response', (res) => resolve(text(res))).on('error', reject)
  })
  expect(created).toBe('{"id":1,"name":"Rex","categoryId":1}')
  expect(continues).toBe(1)
})
