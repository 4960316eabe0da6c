import pg, { type ClientConfig } from 'pg'
import { type ConnectionOptions, parse } from 'pg-connection-string'

/** A class of the driver's clients. Its arguments are the options beside the URL. */
export type ClientClass = new (config?: ClientConfig) => pg.Client

/**
 * Makes the class of the clients of a URL. For each connection the files that the URL names, such
 * as certificates, are read again, because they may have been renewed. While one of them cannot be
 * read, the contents that were read before are used: the pool of the driver opens connections where
 * nobody can catch an error.
 */
export function createClientClass(url: string): ClientClass {
  let known: ConnectionOptions | undefined
  function read(): ClientConfig {
    try {
      known = parse(url)
    } catch (error) {
      if (known === undefined) throw error
    }
    // The driver itself parses a URL by this function, and gives the result to its client.
    return known as unknown as ClientConfig
  }
  return class extends pg.Client {
    constructor({ connectionString: _, ...options }: ClientConfig = {}) {
      super({ ...options, ...read() })
    }
  }
}
