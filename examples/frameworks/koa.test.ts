import { once } from 'node:events'
import { json } from 'node:stream/consumers'
import { createPetServer } from '@pet-store/http-express'
import express from 'express'
import Koa from 'koa'
import { describeShop, listen } from './describe-shop.test-support.ts'
import { petsInFront } from './pets-in-front.ts'

function createShop(): Koa {
  const shop = new Koa()
  // Else it prints that clients have left.
  shop.silent = true
  return shop
}

function addOwnRoutes(shop: Koa): void {
  shop.use(async (ctx) => {
    if (ctx.path === '/hello') ctx.body = { hello: 'shop' }
    if (ctx.path === '/echo') ctx.body = await json(ctx.req)
  })
}

describeShop(
  'Koa',
  (petApp, log) => {
    const shop = createShop()
    addOwnRoutes(shop)
    return listen(createPetServer(petsInFront(petApp, shop.callback()), log))
  },
  { hasPetServer: true },
)

describeShop('Koa with the pet app as middleware', async (petApp) => {
  const shop = createShop()
  const pets = express().disable('x-powered-by').use('/pets-api', petApp)
  shop.use(async (ctx, next) => {
    if (/^\/pets-api(?:\/|$)/.test(ctx.path)) {
      ctx.respond = false
      pets(ctx.req, ctx.res)
    } else await next()
  })
  addOwnRoutes(shop)
  const server = shop.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, close: () => new Promise((resolve) => server.close(resolve)) }
})
