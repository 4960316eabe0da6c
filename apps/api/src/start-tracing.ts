import { processEnvironment } from './settings/environment.ts'
import { isHttpUrl } from './settings/parse.ts'

// Runs before the program is loaded, because instrumentation patches modules while they are loaded. The program reports an
// invalid setting together with the others.
const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = '' } = processEnvironment()
if (isHttpUrl(endpoint)) {
  const { startTracing } = await import('./observability/tracing.ts')
  startTracing(endpoint)
}
