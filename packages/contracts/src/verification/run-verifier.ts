// Runs the verifier in a process of its own: it is native code that writes to standard output. Its
// options come as JSON on standard input, since they can contain a token; the results go as JSON to
// file descriptor 3. Exit codes: 0 the contracts hold, 1 they do not.
import { writeFileSync } from 'node:fs'
import { json } from 'node:stream/consumers'
import pactCore, { type VerifierOptions } from '@pact-foundation/pact-core'

const options = (await json(process.stdin)) as VerifierOptions
// The package is CommonJS, so its default export is one step further in.
const results = await pactCore.default.verifyPacts(options).catch((error: Error) => {
  process.exitCode = 1
  return error.message
})
writeFileSync(3, results)
