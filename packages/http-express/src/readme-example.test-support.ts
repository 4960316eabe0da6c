import type { AddressInfo } from 'node:net'
import { createApiKeyText, createStaticKeys, hashApiKey } from '@pet-store/access'
import { createPetUseCases } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { createPetApp, createPetServer, type HttpLog } from './index.ts'

const key = createApiKeyText()

const log: HttpLog = {
  request: ({ method, route, status, requestId }) => console.info(method, route, status, requestId),
  internalError: (error, requestId) => console.error(requestId, error),
}

const app = createPetApp({
  pets: createPetUseCases(createMemoryPets()),
  tokenCheck: createStaticKeys([{ keyId: 'first-key', sha256: hashApiKey(key) }]),
  log,
  readiness: async () => ({}),
})

const server = createPetServer(app, log)
server.listen(0, () => {
  const { port } = server.address() as AddressInfo
  console.info(`curl -H 'Authorization: Bearer ${key}' http://localhost:${port}/v1/pets`)
})
