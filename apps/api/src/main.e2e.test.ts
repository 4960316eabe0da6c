import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { temporaryFolder } from '@pet-store/testing'
import { expect, it, onTestFinished } from 'vitest'
import { ENVIRONMENT, PROGRAM } from './testing/run-program.test-support.ts'

/** Makes a process believe that it is the first one of a container, and say when it listens for a signal. */
const AS_PROCESS_1 = `
  Object.defineProperty(process, 'pid', { value: 1 })
  process.on('newListener', (name) => { if (name === 'SIGTERM') setImmediate(() => console.error('listening')) })`

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
