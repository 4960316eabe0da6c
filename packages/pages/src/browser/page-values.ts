// The service writes these values into the page.
const { developmentKey: key, publicUrl } = document.body.dataset

/** The development key; `undefined` if the service has none. */
export const developmentKey: string | undefined = key || undefined

/** The base address for requests of this page. It is relative to the page, for any path prefix. */
export const baseUrl = new URL('v1', location.href).href

/** The base address for other clients: the configured public address, else that of this page. */
export const publicBaseUrl = new URL('v1', publicUrl || location.href).href
