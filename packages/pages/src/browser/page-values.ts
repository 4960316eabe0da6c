// What the service has written into the page.
const { developmentKey: key, publicUrl } = document.body.dataset

/** The key of a development machine; `undefined` elsewhere. */
export const developmentKey: string | undefined = key || undefined

/** Where this page sends requests: behind a path prefix only the browser knows. */
export const baseUrl = new URL('v1', location.href).href

/** Where others send them: the public address where one is configured. */
export const publicBaseUrl = new URL('v1', publicUrl || location.href).href
