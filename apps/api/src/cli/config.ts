import { maskUrl } from '../settings/mask-url.ts'
import { effectiveTexts, readConfig } from '../settings/read-settings.ts'
import { textTable } from './text-table.ts'

/** How much of what holds a secret is shown. A secret that has no entry is not shown at all. */
const MASKS: Readonly<Record<string, (text: string) => string>> = {
  DATABASE_URL: maskUrl,
  // No secret, unless somebody puts a password into it.
  OTEL_EXPORTER_OTLP_ENDPOINT: (text) => (text.includes('@') ? maskUrl(text) : text),
  DATABASE_REPLICA_URLS: (text) => text.split(',').map(maskUrl).join(','),
}

/** Shows every setting as it is in effect, and where it comes from; secrets are masked. */
export function showConfig({ json = false }: { json?: boolean }): void {
  // Wrong settings are named as they are by every command.
  readConfig()
  const rows = effectiveTexts().map(({ variable, text, from, isSecret }) => ({
    variable,
    value: text === '' ? text : (MASKS[variable] ?? (isSecret ? () => '***' : String))(text),
    from,
  }))
  if (json) {
    const settings = rows.map(({ variable, ...setting }) => [variable, setting] as const)
    console.log(JSON.stringify(Object.fromEntries(settings), undefined, 2))
    return
  }
  const table = rows.map(({ variable, value, from }) => [variable, value === '' ? '-' : value, from])
  process.stdout.write(textTable([['VARIABLE', 'VALUE', 'FROM'], ...table]))
}
