import { processEnvironment } from './settings/environment.ts'
import { isHttpUrl } from './settings/http-url.ts'

// Runs before the program is loaded, since what is to be traced is changed while it is being loaded. A wrong setting is
// left to the program, which names it together with the others.
const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = '' } = processEnvironment()
if (isHttpUrl(endpoint)) {
  const { startTracing } = await import('./observability/tracing.ts')
  startTracing(endpoint)
}
