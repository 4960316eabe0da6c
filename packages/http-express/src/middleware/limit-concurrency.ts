import type { Check } from '../http/handler.ts'
import { HttpError } from '../http/http-error.ts'

/**
 * Rejects a request with 503 while this many others are under way, before any work is done for it. Without such a bound
 * an overloaded service holds more and more requests, and responds to all of them too late.
 */
export function limitConcurrency(maxRequests: number): Check {
  // Made beforehand: a stack trace for each rejection would cost as much as the rest of it.
  const rejected = overloaded('The')
  const rejectedPost = overloaded('The pet was not added: the')
  let underWay = 0
  const release = () => {
    underWay -= 1
  }
  return (req, res) => {
    if (underWay >= maxRequests) throw req.method === 'POST' ? rejectedPost : rejected
    underWay += 1
    res.once('close', release)
  }
}

function overloaded(subject: string): HttpError {
  const message = `${subject} service has as many requests under way as it can handle.`
  return new HttpError('service_unavailable', message, { 'Retry-After': '1' })
}
