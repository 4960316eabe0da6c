import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { temporaryFolder } from '@pet-store/testing'
import { onTestFinished } from 'vitest'

const run = promisify(execFile)

/**
 * Mounts an empty file system of this size, returns its folder, and unmounts it after the test. If
 * this user may not mount, the test is skipped, and the output says why.
 */
export async function mountSmallDisk(
  sizeMiB: number,
  skip: (reason: string) => never,
): Promise<string> {
  const folder = await temporaryFolder()
  const mounted = await run('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${sizeMiB}m`,
    'tmpfs',
    folder,
  ]).then(
    () => true,
    (error: Error) => {
      console.log(`Skipped: a small disk cannot be mounted here: ${error.message.trim()}`)
      return false
    },
  )
  onTestFinished(async () => {
    if (mounted) await run('umount', ['--lazy', folder])
  })
  if (!mounted) skip('A small disk cannot be mounted here.')
  return folder
}

/**
 * Makes a mounted file system read-only, or writable again. No file on it may be open for writing.
 */
export async function remount(folder: string, mode: 'ro' | 'rw'): Promise<void> {
  await run('mount', ['-o', `remount,${mode}`, folder])
}
