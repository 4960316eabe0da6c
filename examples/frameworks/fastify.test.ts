import middie from '@fastify/middie'
import { createPetServer } from '@pet-store/http-express'
import fastify, { type FastifyInstance } from 'fastify'
import { describeShop, type Shop } from './describe-shop.test-support.ts'
import { petsInFront } from './pets-in-front.ts'

async function startShop(shop: FastifyInstance): Promise<Shop> {
  shop.get('/hello', async () => ({ hello: 'shop' }))
  shop.post('/echo', async ({ body }) => body)
  await shop.listen({ port: 0, host: '127.0.0.1' })
  return { server: shop.server, close: () => shop.close() }
}

describeShop(
  'Fastify',
  (petApp, log) =>
    startShop(
      fastify({
        clientErrorHandler() {},
        serverFactory: (handle) => createPetServer(petsInFront(petApp, handle), log),
      }),
    ),
  { hasPetServer: true },
)

describeShop(
  'Fastify with @fastify/middie',
  async (petApp) => {
    const shop = fastify()
    await shop.register(middie)
    shop.use('/pets-api', petApp)
    return startShop(shop)
  },
  { badEncodingStatus: 400 },
)
