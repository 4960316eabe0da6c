import type { IRouter } from 'express'
import { HttpError } from '../response/http-error.ts'
import { sendError, sendJson } from '../response/response.ts'
import { RETRY_AFTER_SECONDS, retryAfter } from '../response/retry-after.ts'
import { addGetRoute } from './get-route.ts'

/** The state of each checked part, by its name: `ok`, or a few words that say what is wrong. */
export type Checks = Readonly<Record<string, string>>

/** Checks whether the service can work at present. Must resolve, and soon. */
export type ReadinessCheck = () => Promise<Checks>

/**
 * Adds `/livez`, which says that the process lives, and `/readyz`, which says whether it can work
 * (503 if not). Neither needs a key.
 */
export function addHealthRoutes(app: IRouter, readiness: ReadinessCheck): void {
  addGetRoute(app, '/livez', (_req, res) => sendJson(res, 200, JSON.stringify({ status: 'ok' })))
  addGetRoute(app, '/readyz', async (_req, res) => {
    const checks = await readiness()
    const isReady = Object.values(checks).every((state) => state === 'ok')
    if (isReady) return sendJson(res, 200, JSON.stringify({ status: 'ok', checks }))
    const states = Object.entries(checks).map(([name, state]) => `${name} ${state}`)
    const message = `Not ready: ${states.join(', ')}.`
    // Sent, not thrown, because it is not an error of this request.
    const headers = retryAfter(RETRY_AFTER_SECONDS.unavailable)
    sendError(res, new HttpError('service_unavailable', message, headers))
  })
}
