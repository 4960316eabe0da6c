// `pnpm pact:publish`: publishes the contract of the client, as that of the commit that is checked out.
import { brokerOf, gitVersion, publishContract } from '../sources/pact-broker.ts'
import { CLIENT_PACT, type PactFile, readPactFiles } from '../sources/pact-files.ts'

const broker = brokerOf()
if (broker === undefined) {
  console.log(
    'PACT_BROKER_BASE_URL is not set: nothing is published. The committed files in packages/contracts/pacts are verified as they are.',
  )
} else {
  try {
    const version = gitVersion()
    const [pact] = readPactFiles([CLIENT_PACT]) as [PactFile]
    for (const notice of await publishContract(broker, pact, version)) console.log(notice)
    console.log(`Published the contract of ${version.commit} on ${version.branch} to ${broker.url}.`)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
