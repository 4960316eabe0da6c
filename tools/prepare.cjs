// Runs before the commands of the README: one sentence on a Node that is too old, and a complete install after a filtered
// one (`pnpm --filter … build` as the first command), which pnpm takes for complete. CommonJS, so that any Node runs it.
const { spawnSync } = require('node:child_process')
const { existsSync, readFileSync } = require('node:fs')
const { join } = require('node:path')

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const isSupported = major >= 26 || (major === 24 && minor >= 11) || (major === 22 && minor >= 18)
if (!isSupported) {
  console.error(
    `Node ${process.versions.node} is not supported; use 22.18, 24.11 or 26 and later, or run: npx -y -p node@24 -p pnpm@12.21.0 pnpm start`,
  )
  process.exit(1)
}

const state = join(process.cwd(), 'node_modules/.pnpm-workspace-state-v1.json')
if (existsSync(state) && JSON.parse(readFileSync(state, 'utf8')).filteredInstall === true) {
  console.error('Installing the packages that a filtered install has left out…')
  const { status } = spawnSync('pnpm install --frozen-lockfile --prefer-offline', {
    shell: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.exit(status ?? 1)
}
