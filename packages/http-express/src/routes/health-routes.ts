import type { IRouter } from 'express'
import { addGetRoute } from '../request/methods.ts'
import { HttpError } from '../response/http-error.ts'
import { sendError, sendJson } from '../response/response.ts'
import { RETRY_AFTER, retryAfter } from '../response/retry-after.ts'

/** The checked parts by name: `ok`, or in a few words what is wrong. */
export type Checks = Readonly<Record<string, string>>

/** Checks whether the service can work at present. Resolves in any case, and soon. */
export type ReadinessCheck = () => Promise<Checks>

/** `/livez`: the process lives. `/readyz`: it can work. For operators; no key needed. */
export function addHealthRoutes(app: IRouter, readiness: ReadinessCheck): void {
  addGetRoute(app, '/livez', (_req, res) => sendJson(res, 200, JSON.stringify({ status: 'ok' })))
  addGetRoute(app, '/readyz', async (_req, res) => {
    const checks = await readiness()
    const isReady = Object.values(checks).every((state) => state === 'ok')
    if (isReady) return sendJson(res, 200, JSON.stringify({ status: 'ok', checks }))
    const states = Object.entries(checks).map(([name, state]) => `${name} ${state}`)
    const message = `Not ready: ${states.join(', ')}.`
    // Sent, not thrown: it is no internal error of this request.
    const headers = retryAfter(RETRY_AFTER.unavailable)
    sendError(res, new HttpError('service_unavailable', message, headers))
  })
}
