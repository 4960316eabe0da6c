// Bundles the client for the pages, before tests that load them from source.
import { spawnSync } from 'node:child_process'

export default function buildPages(): void {
  const { status, stdout, stderr } = spawnSync('pnpm', ['run', '--silent', 'build:pages'], {
    cwd: new URL('../packages/http-express', import.meta.url),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The client of the pages could not be bundled: ${stdout}${stderr}`)
}
