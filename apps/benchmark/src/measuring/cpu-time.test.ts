import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { coreTimes, cpuTime, cpuTimeOfSiblings } from './cpu-time.ts'

it('reads from the counters of the kernel how long cores were idle, and how long the host took them', () => {
  const stat = 'cpu  100 0 50 800 50 0 0 7 0 0\ncpu0 1 0 0 5 0 0 0 0 0 0\n'
  expect(coreTimes(stat)).toEqual({ idle: 8.5e9, stolen: 7e7 })
})

it('reads the CPU time of a process, and of all that have the same parent', async (context) => {
  if (process.platform !== 'linux') context.skip('needs /proc, which only Linux has')
  const started = Array.from({ length: 2 }, () => {
    const child = spawn(process.execPath, [
      '-e',
      'for (let i = 0; i < 1e8; i++); console.log(1); setInterval(() => {}, 9e5)',
    ])
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  })
  await Promise.all(started.map(({ stdout }) => once(stdout, 'data')))
  const [one = 0, other = 0] = started.map(({ pid = 0 }) => cpuTime(pid).used)
  // In nanoseconds: a Node needs more than a millisecond to start, and less than a minute.
  expect(one).toSatisfy((time: number) => time > 1e6 && time < 6e10)
  const name = readFileSync(`/proc/${started[0]?.pid}/comm`, 'utf8').trim()
  expect(cpuTimeOfSiblings(started[0]?.pid ?? 0, name)?.()).toBeGreaterThanOrEqual(one + other)
  expect(cpuTimeOfSiblings(started[0]?.pid ?? 0, 'postgres')).toBeUndefined()
})
