#!/usr/bin/env node
// Plain JavaScript without imports of ours, so that it runs on any Node and can say what is wrong:
// the SQLite driver ends an older Node with a segmentation fault instead of a sentence. The range
// is that of `engines` in package.json.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const isNewEnough = major >= 26 || (major === 24 && minor >= 11) || (major === 22 && minor >= 18)

const problem = isNewEnough
  ? // Express assigns to `Error.prepareStackTrace`.
    Object.isFrozen(Error) && 'Pet store cannot run with --frozen-intrinsics.'
  : `Pet store needs Node 22.18, 24.11, or 26 and newer; this is Node ${process.versions.node}.`

if (problem) {
  console.error(problem)
  process.exitCode = 1
} else {
  const { enableCompileCache } = await import('node:module')
  // Later starts find the compiled code in the folder for temporary files, or where
  // NODE_COMPILE_CACHE says.
  enableCompileCache()
  await import('../dist/main.js')
}
