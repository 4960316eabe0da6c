import { createHash } from 'node:crypto'
import type { HandlerRequest } from '../request/handler.ts'
import type { HandlerResponse } from '../response/context.ts'
import { sendResponse } from '../response/response.ts'

/**
 * Sends public content, which caches may keep but must validate each time, because a new release
 * may have changed it.
 */
export function sendPublic(
  req: HandlerRequest,
  res: HandlerResponse,
  type: string,
  body: string | Buffer,
): void {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  const own = { ETag: etag, 'Cache-Control': 'public, no-cache' }
  if (req.headers['if-none-match']?.includes(etag)) sendResponse(res, 304, own)
  else sendResponse(res, 200, { ...own, 'Content-Type': type }, body)
}
