/**
 * The security headers of every response, as a flat list: a name, its value, the next name and so
 * on. They tell browsers to load nothing, to allow no frames, and to trust the content type. The
 * pages have a content security policy of their own.
 */
export function securityHeaders(publicUrl: string | undefined): readonly string[] {
  return [
    ...['Content-Security-Policy', "default-src 'none';frame-ancestors 'none'"],
    ...['Referrer-Policy', 'no-referrer'],
    ...['X-Content-Type-Options', 'nosniff'],
    // This header applies to the whole host, so it is sent only if https is known to work, and does
    // not include subdomains.
    ...(publicUrl?.startsWith('https:') ? ['Strict-Transport-Security', 'max-age=31536000'] : []),
  ]
}
