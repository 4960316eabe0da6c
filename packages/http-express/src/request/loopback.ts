/**
 * Whether a host is this machine by a name or an address that no other machine has: `localhost`,
 * 127.0.0.0/8 or `::1`. A program that sets `developmentKey` must listen on nothing else.
 */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|::1|127(?:\.[0-9]{1,3}){3})$/i.test(host)
}

/** Whether the `Host` of a request, with a port or without one, is loopback. */
export function hasLoopbackHost({ host = '' }: { readonly host?: string | undefined }): boolean {
  return isLoopback(host.replace(/:[0-9]+$/, '').replace('[::1]', '::1'))
}
