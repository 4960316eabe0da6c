import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { HttpApp } from '@pet-store/http-express'
import express from 'express'

type Handler = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>

/** The pet app below `/pets-api`, and another framework for every other path. */
export function petsInFront(petApp: HttpApp, other: Handler): RequestListener {
  return express()
    .disable('x-powered-by')
    .use('/pets-api', petApp)
    .use((req, res) => other(req, res))
}
