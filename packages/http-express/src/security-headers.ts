import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet from 'helmet'

/**
 * What browsers are told with every answer: JSON of ours loads nothing, is shown in no frame, and is what its type says.
 *
 * Helmet is asked once, and the headers are then set as they are: as a middleware it would put the same texts
 * together for every request.
 */
export function securityHeaders(publicUrl: string | undefined): readonly string[] {
  const handler = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // A promise of the whole host, so it is made only by who is known to be reached by https, and not for its neighbours.
    strictTransportSecurity: publicUrl?.startsWith('https:') === true && { includeSubDomains: false },
    // For documents and old browsers. An answer that loads nothing and is framed nowhere has no use for them, and each
    // header is work for every request.
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
