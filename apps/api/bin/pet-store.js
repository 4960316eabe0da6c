#!/usr/bin/env node
// Plain JavaScript without imports of ours, so that it runs on any Node and can say what is wrong:
// the SQLite driver ends an older Node with a segmentation fault instead of a sentence.
const problem = problemOfRuntime()

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

/** The range of versions is that of `engines` in package.json. */
function problemOfRuntime() {
  const { bun, deno, node } = process.versions
  const other = (bun && `Bun ${bun}`) ?? (deno && `Deno ${deno}`)
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const isNewEnough = major >= 26 || (major === 24 && minor >= 11) || (major === 22 && minor >= 18)
  if (other || !isNewEnough)
    return `Pet store needs Node 22.18, 24.11, or 26 and newer; this is ${other ?? `Node ${node}`}.`
  // Express assigns to `Error.prepareStackTrace`.
  if (Object.isFrozen(Error)) return 'Pet store cannot run with --frozen-intrinsics.'
  return undefined
}
