// Runs before the commands of the README: one sentence on a Node that is too old, and a complete
// install after a filtered one (`pnpm --filter … build` as the first command), which pnpm takes for
// complete. CommonJS, so that any Node runs it. With arguments it then runs turbo with them,
// without telemetry: `node tools/prepare.cjs build --filter=…`.
const { spawn, spawnSync } = require('node:child_process')
const { existsSync, readFileSync } = require('node:fs')
const { join } = require('node:path')

const PROGRESS_AFTER_MS = 400

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
  if (status !== 0) process.exit(status ?? 1)
}

const tasks = process.argv.slice(2)
if (tasks.length > 0) runTurbo()

/**
 * A build usually comes before a program, which has standard output for itself: nothing is printed
 * when everything is cached, one line on standard error when it takes longer, everything when it
 * fails.
 */
function runTurbo() {
  const isQuiet = tasks[0] === 'build'
  const child = spawn(
    process.execPath,
    [require.resolve('turbo/bin/turbo'), 'run', '--output-logs=errors-only', ...tasks],
    {
      cwd: join(__dirname, '..'),
      // Its own configuration would be in the home folder, which may be closed to this user.
      env: {
        ...process.env,
        TURBO_TELEMETRY_DISABLED: '1',
        XDG_CONFIG_HOME: join(__dirname, '../.turbo'),
      },
      stdio: isQuiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text))
  const progress = setTimeout(
    () => isQuiet && console.error('Building what has changed…'),
    PROGRESS_AFTER_MS,
  )
  child.on('close', (code) => {
    clearTimeout(progress)
    if (code !== 0) process.stderr.write(output)
    process.exitCode = code ?? 1
  })
}
