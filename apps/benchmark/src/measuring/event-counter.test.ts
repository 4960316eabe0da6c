import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { openEventCounter } from './event-counter.ts'

it('counts an event between two moments, as the kernel counts CPU time', async (context) => {
  if (spawnSync('perf', ['--version']).error !== undefined) context.skip('needs perf')
  const busy = spawn(process.execPath, ['-e', 'for (;;);'])
  onTestFinished(() => void busy.kill('SIGKILL'))
  const pid = busy.pid ?? 0
  const cpuNanoseconds = () => Number.parseInt(readFileSync(`/proc/${pid}/schedstat`, 'latin1'), 10)
  const counter = await openEventCounter('task-clock', [pid])
  await wait(200)
  const before = cpuNanoseconds()
  counter.enable()
  await wait(400)
  counter.disable()
  const expected = cpuNanoseconds() - before
  const count = await counter.read()
  // A ratio of two readings of the same process, which holds however busy the machine is.
  expect(count / expected).toBeGreaterThan(0.5)
  expect(count / expected).toBeLessThan(1.5)
})
