import { existsSync } from 'node:fs'
import { access, constants, open, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import { persistenceAdapter } from '../../persistence/persistence-adapter.ts'
import { isThisService } from '../../server/is-this-service.ts'
import { type ListenOptions, listen } from '../../server/listen.ts'
import { databaseKind } from '../../settings/database-url.ts'
import type { Settings } from '../../settings/settings.ts'
import { attempt, type Finding } from './finding.ts'

/**
 * Examines the ports, and the module or the file of the database. Returns whether the database
 * itself can be examined.
 */
export async function* examineSystem(settings: Settings): AsyncGenerator<Finding, boolean> {
  const { host, port, reusePort, metricsPort, databaseUrl, persistenceModule } = settings
  yield await examinePort({ host, port, reusePort, setting: 'PORT' })
  if (metricsPort !== undefined)
    yield await examinePort({ host, port: metricsPort, setting: 'METRICS_PORT' })
  if (persistenceModule !== '') {
    const remedy =
      'install the package, or correct PERSISTENCE_MODULE: a package, or a path that begins ' +
      'with . or /'
    const module = await attempt('module', remedy, async () => {
      await persistenceAdapter(settings)
      return persistenceModule
    })
    yield module
    return module.state !== 'error'
  }
  if (databaseUrl === 'sqlite::memory:') {
    yield {
      check: 'disk',
      state: 'warning',
      message: 'pets are stored in memory only, and lost when the program ends',
    }
  } else if (databaseKind(databaseUrl) === 'sqlite') {
    const remedy =
      'DATABASE_URL needs a file and a folder that this user may write, on a disk with 100 MB free'
    const disk = await attempt('disk', remedy, () => examineFile(settings))
    yield disk
    return disk.state !== 'error'
  }
  return true
}

function examinePort(options: ListenOptions): Promise<Finding> {
  const { host, port, setting } = options
  return attempt('port', 'end what listens there, or choose another PORT or HOST', async () => {
    const server = createServer()
    try {
      await listen(server, options)
    } catch (error) {
      // In a container, for instance, doctor runs while the service is running.
      if (await isThisService(host, port)) return `${setting} ${port} is used by a pet store`
      throw error
    }
    server.close()
    return `${setting} ${port} is free on ${host}`
  })
}

/** Checks that `serve` could write the database file, which `doctor` itself only reads. */
async function examineFile(settings: Settings): Promise<string> {
  const { file = '' } = await persistenceAdapter(settings)
  if (existsSync(file)) await (await open(file, 'r+')).close()
  return examineFolder(dirname(file))
}

async function examineFolder(folder: string): Promise<string> {
  // A missing folder would be created in the folder that contains it, so that one is checked.
  if (!existsSync(folder) && folder !== dirname(folder)) return examineFolder(dirname(folder))
  if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is a file, not a folder`)
  await access(folder, constants.W_OK | constants.X_OK)
  const { bavail, bsize } = await statfs(folder)
  const megabytes = Math.floor((bavail * bsize) / 1e6)
  const message = `${megabytes.toLocaleString('en')} MB free in ${folder}`
  if (megabytes < 100) throw new Error(message)
  return message
}
