import { databaseKind, wrongHosts, wrongSchema, wrongUrl } from './database-url.ts'
import type { Settings } from './settings.ts'

/** Finds settings that contradict each other, a line for each. Invalid settings are absent. */
export function* contradictionsIn(settings: Partial<Settings>): Generator<string> {
  const { databaseUrl, persistenceModule, databaseReplicaUrls = [] } = settings
  // An adapter of PERSISTENCE_MODULE decides itself whether it has replicas and what its URLs are.
  if (databaseUrl !== undefined && persistenceModule === '') {
    const kind = databaseKind(databaseUrl)
    const wrong =
      wrongHosts(databaseUrl) ??
      (kind === undefined ? wrongUrl(databaseUrl) : wrongSchema(databaseUrl))
    if (wrong !== undefined) yield `DATABASE_URL ${wrong}`
    if (databaseReplicaUrls.length > 0 && kind !== 'postgres') {
      yield 'DATABASE_REPLICA_URLS must be empty unless DATABASE_URL is ' +
        'postgres://user:password@host/database'
    } else if (databaseReplicaUrls.some((url) => databaseKind(url) !== 'postgres')) {
      yield 'DATABASE_REPLICA_URLS must be URLs such as postgres://user:password@host/database, ' +
        'separated by commas'
    }
  }
  const { port = 0, reusePort, metricsPort, shutdownDelayMs = 0, shutdownTimeoutMs = 1 } = settings
  if (port !== 0 && port === metricsPort)
    yield `METRICS_PORT must differ from PORT, got ${port} for both`
  if (reusePort && port === 0) yield 'REUSE_PORT must be false if PORT is 0'
  if (reusePort && databaseUrl === 'sqlite::memory:') {
    yield 'REUSE_PORT must be false if DATABASE_URL is sqlite::memory:, ' +
      'because each process would have pets of its own'
  }
  if (shutdownDelayMs >= shutdownTimeoutMs)
    yield 'SHUTDOWN_TIMEOUT must be longer than SHUTDOWN_DELAY, got ' +
      `${shutdownTimeoutMs / 1_000}s and ${shutdownDelayMs / 1_000}s`
}
