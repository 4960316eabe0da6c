import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const TIMES = 5
const PAGE = Buffer.alloc(4_096, 1)

/** How many milliseconds an appended page takes to reach the disk on which the databases are. */
export function fsyncTimes(): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-fsync-'))
  const file = openSync(join(folder, 'file'), 'w')
  const times = Array.from({ length: TIMES }, () => {
    writeSync(file, PAGE)
    const start = performance.now()
    fsyncSync(file)
    return performance.now() - start
  })
  closeSync(file)
  rmSync(folder, { recursive: true })
  return times
}
