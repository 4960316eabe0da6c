import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { casesOf, expectEqual } from '../contract-case.ts'
import { after } from '../new-api-keys.ts'
import { aNewPet } from '../new-pets.ts'
import { type HarnessCase, type PersistenceHarness, withPersistence } from '../persistence-harness.ts'

const ROUNDS = 3
const ACKNOWLEDGED_PER_ROUND = 100

/** A process that is killed loses nothing that it has acknowledged. */
export const killingCases: readonly HarnessCase[] = casesOf('persistence.killed', [
  {
    id: 'acknowledged',
    name: 'has every acknowledged pet exactly once after kill -9 of the process that wrote it',
    timeLimitMs: 60_000,
    async run(harness) {
      if (harness.module === undefined) return 'the harness names no module for a second process'
      const url = await harness.emptyPlace()
      const acknowledged = new Map<string, string>()
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const [id, name] of await writeUntilKilled(harness, harness.module, url, `round-${round}`)) {
          acknowledged.set(name, id)
        }
      }
      await withPersistence(harness, url, async ({ pets }) => {
        const stored = new Map<string, string>()
        for (let afterId: bigint | undefined; ; ) {
          const page = await pets.list({ limit: 1000, ...(afterId !== undefined && { after: afterId }) })
          for (const { id, name } of page) {
            assert.ok(!stored.has(name), `the pet ${name} must be stored once`)
            stored.set(name, `${id}`)
          }
          afterId = page.at(-1)?.id
          if (afterId === undefined) break
        }
        for (const [name, id] of acknowledged)
          expectEqual(stored.get(name), id, `the id of the acknowledged pet ${name}`)

        const [keyed] = [...acknowledged].filter(([name]) => name.endsWith('with-key'))
        assert.ok(keyed, 'a pet must have been added with an idempotency key')
        const [name, id] = keyed
        const repeat = await pets.addWithKey(aNewPet({ name }), {
          owner: 'writer',
          key: name,
          fingerprint: name,
          at: after(0),
        })
        expectEqual([`${repeat.pet.id}`, repeat.isReplay], [id, true], 'the idempotency key must still be known')
      })
      return undefined
    },
  },
])

/** Eight callers add pets, every second one with an idempotency key, and print each pet once its add has resolved. */
const WRITER = `
  const [module, exportName, url, round, at] = process.argv.slice(1)
  const { [exportName]: open } = await import(module)
  const { pets } = await open({ url, migrate: true })
  const write = async (caller) => {
    for (let number = caller; ; number += 8) {
      const name = round + '-' + number + (number % 2 ? '-with-key' : '')
      const pet = { name, categoryId: BigInt(number) }
      const key = { owner: 'writer', key: name, fingerprint: name, at: new Date(at) }
      const { id } = number % 2 ? (await pets.addWithKey(pet, key)).pet : await pets.add(pet)
      process.stdout.write(id + ' ' + name + '\\n')
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, caller) => write(caller)))`

/** Lets another process write, kills it in the middle, and returns the ids and names that it printed. */
async function writeUntilKilled(
  { nodeOptions = [], exportName = 'default' }: PersistenceHarness,
  module: string,
  url: string,
  round: string,
): Promise<readonly (readonly [id: string, name: string])[]> {
  const values = [module, exportName, url, round, after(0).toISOString()]
  const writer = spawn(process.execPath, [...nodeOptions, '--input-type=module', '--eval', WRITER, '--', ...values])
  let output = ''
  let errors = ''
  writer.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output.split('\n').length > ACKNOWLEDGED_PER_ROUND) writer.kill('SIGKILL')
  })
  writer.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const signal = await new Promise((resolve, reject) => {
    writer.on('error', reject).on('close', (_, reason) => resolve(reason))
  })
  expectEqual(signal, 'SIGKILL', `the writing process must run until it is killed; it printed: ${errors}`)
  // The last line may be cut off.
  const lines = output.split('\n').slice(0, -1)
  return lines.map((line) => line.split(' ') as [string, string])
}
