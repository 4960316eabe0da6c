/**
 * The security headers of every response as a flat list: a name, its value, the next name. Nothing
 * is loaded, nothing is framed, and the content is what its type says. The pages have a policy of
 * their own.
 */
export function securityHeaders(publicUrl: string | undefined): readonly string[] {
  return [
    ...['Content-Security-Policy', "default-src 'none';frame-ancestors 'none'"],
    ...['Referrer-Policy', 'no-referrer'],
    ...['X-Content-Type-Options', 'nosniff'],
    // It binds the whole host, so it is sent only where https is known to work, and not for
    // subdomains.
    ...(publicUrl?.startsWith('https:') ? ['Strict-Transport-Security', 'max-age=31536000'] : []),
  ]
}
