import { MemorySocket } from '@pet-store/testing'
import type pg from 'pg'
import type { ClientConfig, PoolConfig } from 'pg'

/** Joins a socket of the driver to a server, or lets it fail. */
export type Connect = (socket: MemorySocket, host: string) => void

let connect: Connect = (socket) => socket.destroy(new Error('There is no simulated world.'))

/** Sets where the connections lead that the driver opens from now on. */
export function setNetwork(to: Connect): void {
  connect = to
}

interface Driver {
  readonly default: typeof pg
}

/** The driver itself, with connections in memory: its option `stream` says how they are made. */
export function simulatedPg(driver: Driver): Driver {
  const real = driver.default

  class Client extends real.Client {
    constructor(config?: ClientConfig) {
      const stream = () => new MemorySocket({ onConnect: (socket, host) => connect(socket, host) })
      super({ ...config, stream })
    }
  }

  class Pool extends real.Pool {
    constructor(config?: PoolConfig) {
      // Documented, and missing in the types.
      super(Object.assign({ ...config }, { Client }))
    }
  }

  const simulated = Object.assign(Object.create(real), { Client, Pool }) as typeof pg
  return { ...driver, default: simulated, ...{ Client, Pool } }
}
