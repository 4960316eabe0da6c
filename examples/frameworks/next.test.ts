import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { createPetServer } from '@pet-store/http-express'
import express from 'express'
import { describeShop, listen } from './describe-shop.test-support.ts'
import { petsInFront } from './pets-in-front.ts'

/**
 * A handler as `getRequestHandler()` of Next.js returns it; its third parameter is the parsed
 * address. Next.js itself needs a build and hundreds of megabytes.
 */
async function handle(req: IncomingMessage, res: ServerResponse, ...rest: unknown[]) {
  if (rest.length > 0) throw new TypeError('It was called with a parsed address.')
  if (req.url === '/hello') res.end('{"hello":"shop"}')
  else if (req.url === '/echo') res.end(JSON.stringify(await json(req)))
  else res.writeHead(404).end('There is no such page.')
}

describeShop(
  'a custom server of Next.js',
  (petApp, log) => listen(createPetServer(petsInFront(petApp, handle), log)),
  { hasPetServer: true },
)

describeShop('an API route of Next.js', (petApp) => {
  const pets = express().disable('x-powered-by').use('/pets-api', petApp)
  const server = createServer((req, res) => {
    if (!/^\/pets-api(?![^/?])/.test(req.url ?? '')) {
      void handle(req, res)
      return
    }
    // What Next.js adds for API routes, where `bodyParser` is false.
    Object.assign(req, { query: { path: req.url?.split('/') }, cookies: {} })
    const isUnused = () => {
      throw new TypeError('It belongs to Next.js.')
    }
    Object.assign(res, { status: isUnused, send: isUnused, json: isUnused, redirect: isUnused })
    pets(req, res)
  })
  return listen(server)
})
