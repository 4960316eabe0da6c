import type { RequestEntry } from '@pet-store/http-express'

/**
 * A request as a line of the log, as pino would write it: `head` is the beginning of the line up to its own fields.
 * There is one for each request, and pino, which first finds out what an object holds, takes three times as long.
 */
export function requestLine(head: string, entry: RequestEntry): string {
  const { requestId, method, route, status, durationMs, keyId, clientAddress, isComplete } = entry
  return `${head},"requestId":${JSON.stringify(requestId)}${
    method === undefined ? '' : `,"method":"${method}"`
  }${route === undefined ? '' : `,"route":"${route}"`},"status":${status},"durationMs":${inMicroseconds(durationMs)}${
    keyId === undefined ? '' : `,"keyId":${JSON.stringify(keyId)}`
  }${
    clientAddress === undefined ? '' : `,"clientAddress":${JSON.stringify(clientAddress)}`
  },"isComplete":${isComplete},"msg":"request"}\n`
}

/** What a clock cannot tell is not written. */
function inMicroseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}
