import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { temporaryFolder } from '@pet-store/testing'
import { expect, it, onTestFinished } from 'vitest'
import { ENVIRONMENT, PROGRAM, runProgram } from './testing/run-program.test-support.ts'

/**
 * Makes a process believe that it is the first one of a container, and say when it listens for a
 * signal.
 */
const AS_PROCESS_1 = `
  Object.defineProperty(process, 'pid', { value: 1 })
  process.on('newListener', (name) => {
    if (name === 'SIGTERM') setImmediate(() => console.error('listening'))
  })`

it('SIGTERM ends a command that is the first process of a container', async () => {
  const program = ['--import', `data:text/javascript,${encodeURIComponent(AS_PROCESS_1)}`, PROGRAM]
  const command = ['import', '-', '--format', 'csv']
  const running = spawn(process.execPath, [...program, ...command], {
    cwd: await temporaryFolder(),
    env: ENVIRONMENT,
  })
  onTestFinished(() => void running.kill('SIGKILL'))
  const ended = once(running, 'exit')
  await once(running.stderr, 'data')
  running.kill('SIGTERM')
  // By itself, and not by the kernel, which would spare the first process.
  expect(await ended).toEqual([143, null])
})

it('the program says that Node is too old', async () => {
  const old =
    "data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.20.2' })"
  const program = runProgram('start', await temporaryFolder(), {}, ['--import', old, PROGRAM])

  expect(await program.ended).toBe(1)
  expect(program.output.stderr).toBe(
    'Pet store needs Node 22.18, 24.11, or 26 and newer; this is Node 20.20.2.\n',
  )
})
