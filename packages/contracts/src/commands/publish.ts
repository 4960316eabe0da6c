// `pnpm pact:publish`: publishes the contracts of this repository's own consumers, as those of the commit that is checked out.
import { brokerOf, gitVersion, publishContracts } from '../sources/pact-broker.ts'
import { readOwnPacts } from '../sources/pact-files.ts'

const broker = brokerOf()
if (broker === undefined) {
  console.log(
    'PACT_BROKER_BASE_URL is not set: nothing is published. The committed files in packages/contracts/pacts are verified as they are.',
  )
} else {
  try {
    const version = gitVersion()
    const pacts = readOwnPacts()
    for (const notice of await publishContracts(broker, pacts, version)) console.log(notice)
    console.log(`Published ${pacts.length} contracts of ${version.commit} on ${version.branch} to ${broker.url}.`)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
