import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'

const START = `
  import { EmbeddedServer } from './src/embedded-server.ts'
  const server = await EmbeddedServer.create()
  await server.start(['-c', 'fsync=off'])
  console.log(server.dataFolder)
  setInterval(() => {}, 1_000)`

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'a server ends, and its files are removed, when its process gets %s',
  async (signal) => {
    const program = spawn(process.execPath, ['--input-type=module', '--eval', START], {
      cwd: `${import.meta.dirname}/..`,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(program.stdout.setEncoding('utf8'), 'data')
    const dataFolder = String(line).trim()
    const pid = Number(readFileSync(`${dataFolder}/postmaster.pid`, 'utf8').split('\n')[0])
    expect(isRunning(pid)).toBe(true)
    program.kill(signal)
    await expect.poll(() => isRunning(pid)).toBe(false)
    await expect.poll(() => existsSync(dirname(dataFolder))).toBe(false)
  },
)

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
