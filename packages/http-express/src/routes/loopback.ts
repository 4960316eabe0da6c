/**
 * Whether a host always means this machine: `localhost`, 127.0.0.0/8 or `::1`. A program that sets
 * `developmentKey` must listen on no other address.
 */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|::1|127(?:\.[0-9]{1,3}){3})$/i.test(host)
}

/** Whether the `Host` of a request, with a port or without one, is loopback. */
export function hasLoopbackHost({ host = '' }: { readonly host?: string | undefined }): boolean {
  return isLoopback(host.replace(/:[0-9]+$/, '').replace('[::1]', '::1'))
}
