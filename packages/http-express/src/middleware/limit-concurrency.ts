import type { Check } from '../http/handler.ts'
import { HttpError } from '../http/http-error.ts'

/**
 * Rejects a request with 503 while this many others are under way, before any work is done for it. Without such a bound
 * an overloaded service holds more and more requests, and responds to all of them too late.
 */
export function limitConcurrency(maxRequests: number): Check {
  let underWay = 0
  const release = () => {
    underWay -= 1
  }
  return (req, res) => {
    if (underWay >= maxRequests) {
      const outcome = req.method === 'POST' ? 'The pet was not added: the' : 'The'
      const message = `${outcome} service has as many requests under way as it can handle.`
      throw new HttpError('service_unavailable', message, { 'Retry-After': '1' })
    }
    underWay += 1
    res.once('close', release)
  }
}
