import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Creates a folder and its parents, durably. Throws if a file has the name of one of them. */
export function createFolder(folder: string): void {
  try {
    const first = mkdirSync(folder, { recursive: true })
    if (first === undefined) return
    for (
      let created = resolve(folder);
      created.length >= resolve(first).length;
      created = dirname(created)
    ) {
      syncFolder(dirname(created))
    }
  } catch (error) {
    const file = ancestorsOf(folder).find((above) =>
      statSync(above, { throwIfNoEntry: false })?.isFile(),
    )
    if (file === undefined) throw error
    throw new Error(`${JSON.stringify(file)} is a file; a folder of that name is needed`, {
      cause: error,
    })
  }
}

/** A folder and all folders that contain it. */
function ancestorsOf(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...ancestorsOf(parent)]
}

/** Writes the content of a file to the disk, so that it survives a power failure. */
export function syncFile(file: string): void {
  sync(openSync(file, 'r+'))
}

/**
 * Writes the names in a folder to the disk, so that a new name survives a power failure. Windows
 * has no such call for folders and needs none.
 */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') sync(openSync(folder, 'r'))
}

function sync(descriptor: number): void {
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
