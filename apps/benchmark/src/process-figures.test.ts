import { describe, expect, it } from 'vitest'
import { cpuSeconds, memoryMiB } from './process-figures.ts'

describe('the figures of a process', () => {
  it('adds user and system time, whatever the program is called', () => {
    const rest = 'S 1 2 3 0 -1 4194304 100 0 0 0 1234 66 0 0 20 0 11 0 5000 1000000 200'
    expect(cpuSeconds(`4711 (node) ${rest}`)).toBe(13)
    expect(cpuSeconds(`4711 (a (b) 9 9) c) ${rest}`)).toBe(13)
  })

  it('tells memory now from memory at its highest', () => {
    const status = 'Name:\tnode\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\nThreads:\t11\n'
    expect(memoryMiB(status, 'VmHWM')).toBe(200)
    expect(memoryMiB(status, 'VmRSS')).toBe(100)
  })
})
