import { textTable } from '../messages/text-table.ts'
import { effectiveSettings, readSettings } from '../settings/read-settings.ts'

/** Shows every setting that is in effect, and where it comes from; secrets are masked. */
export function showConfig({ json = false }: { json?: boolean }): void {
  const texts = effectiveSettings()
  if (json) {
    const settings = texts.map(
      ({ variable, maskedText, from }) => [variable, { value: maskedText, from }] as const,
    )
    process.stdout.write(`${JSON.stringify(Object.fromEntries(settings), undefined, 2)}\n`)
  } else {
    const rows = texts.map(({ variable, maskedText, from }) => [variable, maskedText || '-', from])
    process.stdout.write(textTable([['VARIABLE', 'VALUE', 'FROM'], ...rows]))
  }
  // Throws if a setting is invalid, which is reported as by every command.
  readSettings()
}
