import { onTestFinished, vi } from 'vitest'

/** Makes timers run fifty times as fast until the test ends; connections take their time. */
export function useFastTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const clock = setInterval(() => vi.advanceTimersByTime(250), 5)
  onTestFinished(() => {
    clearInterval(clock)
    vi.useRealTimers()
  })
}
