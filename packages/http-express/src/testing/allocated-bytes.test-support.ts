import type { HeapProfiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'

/**
 * About how many bytes a function allocates. Unlike its time, this is the same on a busy machine:
 * quadratic copying of a list or a text shows as quadratic bytes.
 */
export async function allocatedBytes(run: () => void): Promise<number> {
  run()
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 512,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
  for (let index = 0; index < 5; index += 1) run()
  const { profile } = await session.post('HeapProfiler.stopSampling')
  session.disconnect()
  return bytesOf(profile.head)
}

function bytesOf({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  return children.reduce((sum, child) => sum + bytesOf(child), selfSize)
}
