import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet from 'helmet'

/**
 * The security headers of every response, names and values in turn: nothing is loaded, nothing is framed, and the
 * content is what its type says. `Strict-Transport-Security` only with an https address.
 *
 * Helmet runs once at start. As a middleware it would put the same texts together for every request.
 */
export function securityHeaders(publicUrl: string | undefined): readonly string[] {
  const handler = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // It binds the whole host, so it is sent only where https is known to work, and not for subdomains.
    strictTransportSecurity: publicUrl?.startsWith('https:') === true && { includeSubDomains: false },
    // These are for documents and old browsers. JSON that loads nothing and is framed nowhere does not need them, and
    // each header costs time for every request.
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  })
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  handler(request, response, () => {})
  return Object.entries(response.getHeaders()).flatMap(([name, value]) => [name, String(value)])
}
