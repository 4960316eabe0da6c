#!/usr/bin/env node

/** The range of `engines` in package.json. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const isNewEnough = major >= 26 || (major === 24 && minor >= 11) || (major === 22 && minor >= 18)

if (isNewEnough) {
  // Imported only here, because older versions of Node cannot load what it imports.
  await import('./check/command-line.ts')
} else {
  console.error(
    'pet-store-adapter needs Node 22.18, 24.11, or 26 and newer; ' +
      `this is Node ${process.versions.node}.`,
  )
  process.exitCode = 2
}
