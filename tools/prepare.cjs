// Runs before the commands of the README. CommonJS, so that any Node runs it:
// - a Node that is too old gets one sentence;
// - what the command needs is installed if it is missing: everything, or with `--program` only the
//   program and what builds it;
// - with further arguments turbo runs with them, without telemetry:
//   `node tools/prepare.cjs build --filter=…`.
const { spawn } = require('node:child_process')
const { existsSync, readFileSync, statSync } = require('node:fs')
const { join } = require('node:path')

const ROOT = join(__dirname, '..')
const PROGRESS_AFTER_MS = 400
/** Without those for tests, which bring a whole PostgreSQL. */
const PROGRAM = [
  '--filter=@pet-store/api...',
  '--filter=!@pet-store/testing',
  '--filter=!@pet-store/testing-postgres',
]

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const isSupported = major >= 26 || (major === 24 && minor >= 11) || (major === 22 && minor >= 18)
const given = process.argv.slice(2)
const isProgram = given[0] === '--program'
const tasks = isProgram ? given.slice(1) : given

if (isSupported) void prepare()
else {
  console.error(
    `Node ${process.versions.node} is not supported; use 22.18, 24.11 or 26 and later, or run: ` +
      'npx -y -p node@24 -p pnpm@12.21.0 pnpm start',
  )
  process.exitCode = 1
}

async function prepare() {
  const isReady = isInstalled() || (await install())
  const isDone = isReady && (tasks.length === 0 || (await runTurbo()))
  process.exitCode = isDone ? 0 : 1
}

/** Whether pnpm has installed what is needed, and nothing that it reads has changed since. */
function isInstalled() {
  const file = join(ROOT, 'node_modules/.pnpm-workspace-state-v1.json')
  if (!existsSync(file)) return false
  const { filteredInstall, lastValidatedTimestamp, projects } = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  if (filteredInstall && !isProgram) return false
  const manifests = Object.keys(projects).map((folder) => join(folder, 'package.json'))
  const others = ['pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((name) => join(ROOT, name))
  return [...manifests, ...others].every((one) => {
    const { mtimeMs } = statSync(one, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity }
    return mtimeMs <= lastValidatedTimestamp
  })
}

function install() {
  const options = ['--prefer-offline', ...(isProgram ? PROGRAM : [])]
  return run('pnpm', ['install', ...options], 'Installing what is missing…')
}

/** Its own configuration would be in the home folder, which may be closed to this user. */
function runTurbo() {
  const env = { TURBO_TELEMETRY_DISABLED: '1', XDG_CONFIG_HOME: join(ROOT, '.turbo') }
  const command = [require.resolve('turbo/bin/turbo'), 'run', '--output-logs=errors-only', ...tasks]
  const isBuilding = ['bundle', 'build'].includes(tasks[0])
  const message = isBuilding ? 'Building what has changed…' : undefined
  return run(process.execPath, command, message, { ...process.env, ...env })
}

/**
 * Resolves to whether a command succeeded. With a message it is quiet: it comes before a program,
 * which has standard output for itself. Then the message is printed on standard error when it takes
 * a while, and everything that the command printed when it fails.
 */
function run(command, args, message, env = process.env) {
  const stdio = message === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe']
  // On Windows pnpm is a script of the shell.
  const shell = process.platform === 'win32' && command === 'pnpm'
  const child = spawn(command, args, { cwd: ROOT, env, stdio, shell })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text))
  const progress = setTimeout(() => message && console.error(message), PROGRESS_AFTER_MS)
  return new Promise((resolve) => {
    child.on('error', ({ message: reason }) => (output += `${command}: ${reason}\n`))
    child.on('close', (code) => {
      clearTimeout(progress)
      if (code !== 0) process.stderr.write(output)
      resolve(code === 0)
    })
  })
}
