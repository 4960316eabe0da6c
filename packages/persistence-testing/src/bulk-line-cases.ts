import { INT64, type NewPet, type Pet } from '@pet-store/domain'
import type { BulkAccess, PetImport } from '@pet-store/persistence'
import { type CaseDefinition, expectEqual, expectRejection } from './contract-case.ts'
import { after, hashOf } from './new-api-keys.ts'
import { aNewPet, withoutId } from './new-pets.ts'
import type { NotShown } from './persistence-harness.ts'

/** Pets with ids, and their lines. */
const LINES: readonly (readonly [pet: Pet, line: string])[] = [
  [{ id: 3n, name: 'Rex', categoryId: 1n, status: 'sold' }, '3\tRex\t1\tsold\n'],
  [{ id: 4n, name: '\\N', categoryId: INT64.min }, '4\t\\\\N\t-9223372036854775808\t\\N\n'],
  [
    { id: 5n, name: '\\ \b \t \n \v \f \r \\t', categoryId: INT64.max, status: 'sold' },
    '5\t\\\\ \\b \\t \\n \\v \\f \\r \\\\t\t9223372036854775807\tsold\n',
  ],
  [
    { id: 2n ** 53n + 1n, name: ' "é" \u{1}\u{1F415} NULL ', categoryId: 0n, status: 'pending' },
    '9007199254740993\t "é" \u{1}\u{1F415} NULL \t0\tpending\n',
  ],
]
const PETS = LINES.map(([pet]) => pet)
/** More than a driver sends at once, of characters with several bytes, so that it must cut some of them. */
const LONG: readonly NewPet[] = Array.from({ length: 100 }, (_, index) =>
  aNewPet({ name: '\u{1F415}'.repeat(900 + index), categoryId: BigInt(index), status: 'available' }),
)
const NEW = LINES.map(([, line]) => line.slice(line.indexOf('\t') + 1)).concat(
  LONG.map(({ name, categoryId }) => `${name}\t${categoryId}\tavailable\n`),
)
const NO_CATEGORY = 'Rex\t9223372036854775808\t\\N\n'
const ALL = 1_000_000

const bytesOf = (lines: readonly string[]) => new TextEncoder().encode(lines.join(''))
const linesOf = (count = LINES.length) => bytesOf(LINES.slice(0, count).map(([, line]) => line))
const begun: PetImport = {
  ...{ id: 1n, sha256: hashOf('a'), fileSha256: hashOf('f'), state: 'unfinished', lines: 1, changedAt: after(5) },
}

/** The cases of what bulk access may do with lines of text. Each function is optional, and is called on what was opened. */
export const bulkLineCases: readonly CaseDefinition<BulkAccess, NotShown | undefined>[] = [
  {
    id: 'lines.read',
    name: 'reads pets as lines, with special characters escaped',
    run: withLines('readPetLines', async (bulk) => {
      expectEqual(await readText(bulk), '', 'the lines of an empty place')
      await bulk.writePets(PETS)
      expectEqual(await readText(bulk), LINES.map(([, line]) => line).join(''), 'the lines by ascending id')
    }),
  },
  {
    id: 'lines.read.page',
    name: 'reads lines by status, a page at a time',
    run: withLines('readPetLines', async (bulk) => {
      await bulk.writePets(PETS)
      const [first, second, third] = LINES.map(([, line]) => line)
      expectEqual(await readText(bulk, { limit: 2 }), `${first}${second}`, 'the first page')
      expectEqual(await readText(bulk, { limit: 1, after: 4n }), third, 'the page after the second pet')
      expectEqual(await readText(bulk, { status: 'sold' }), `${first}${third}`, 'all sold pets')
      expectEqual(await readText(bulk, { status: 'sold', limit: 1, after: 3n }), third, 'the next sold pet')
      expectEqual(await readText(bulk, { status: 'available' }), '', 'the lines of a status that no pet has')
      expectEqual(await readText(bulk, { limit: 1, after: INT64.min }), first, 'the page after the smallest int64')
      expectEqual(await readText(bulk, { after: INT64.max }), '', 'the page after the greatest int64')
      const page = await bulk.readPetLines({ limit: 2 })
      await bulk.readPetLines({ limit: 2, after: 4n })
      expectEqual(textOf(page), `${first}${second}`, 'the first page when the next one was read')
    }),
  },
  {
    id: 'lines.write',
    name: 'stores pets from lines under the ids that they have',
    run: withLines('writePetLines', async (bulk) => {
      await bulk.writePetLines(linesOf())
      await bulk.writePetLines(linesOf(0))
      expectEqual(await bulk.readPets({ limit: ALL }), PETS, 'the pets by ascending id')
    }),
  },
  {
    id: 'lines.write.taken',
    name: 'stores none of the pets of lines when an id is taken',
    run: withLines('writePetLines', async (bulk) => {
      const stored = [{ id: 4n, ...aNewPet({ name: 'first' }) }]
      await bulk.writePets(stored)
      await expectRejection(async () => bulk.writePetLines(linesOf()), 'writePetLines must reject a taken id')
      expectEqual(await bulk.readPets({ limit: ALL }), stored, 'the stored pets must not change')
    }),
  },
  {
    id: 'lines.add',
    name: 'gives new pets from lines ascending ids in their order',
    run: withLines('addPetLines', async (bulk) => {
      await bulk.addPetLines(bytesOf(NEW))
      await bulk.addPetLines(bytesOf([]))
      const expected = [...PETS.map(withoutId), ...LONG]
      const stored = await bulk.readPets({ limit: ALL })
      expectEqual(stored.map(withoutId), expected, 'the pets in the order of their ids')
      expectEqual(await bulk.lastPetId(), stored.at(-1)?.id, 'the last id')
    }),
  },
  {
    id: 'lines.add.progress',
    name: 'stores new pets from lines together with the progress of their import, or neither',
    run: withLines('addPetLines', async (bulk) => {
      const ended: PetImport = { ...begun, state: 'finished', lines: 2 }
      await bulk.addPetLines(bytesOf(NEW), { to: begun })
      expectEqual(await bulk.readPetImports(), [begun], 'the import that has begun')
      for (const from of [undefined, { ...begun, id: 2n }, { ...begun, sha256: hashOf('o') }, ended]) {
        const progress = { to: { ...ended, lines: 7 }, ...(from && { from }) }
        await expectRejection(
          async () => bulk.addPetLines(bytesOf(NEW), progress),
          'addPetLines must reject an import that is not where from says',
        )
      }
      expectEqual(await bulk.readPetImports(), [begun], 'the import must not change')
      expectEqual(await bulk.countPets(), NEW.length, 'the number of pets')
      await bulk.addPetLines(bytesOf([]), { from: begun, to: ended })
      expectEqual(await bulk.readPetImports(), [ended], 'the import that has ended')
    }),
  },
  {
    id: 'lines.add.all-or-nothing',
    name: 'stores all new pets of lines or none, with their import',
    run: withLines('addPetLines', async (bulk) => {
      await expectRejection(
        async () => bulk.addPetLines(bytesOf([...NEW, NO_CATEGORY]), { to: begun }),
        'addPetLines must reject a category beyond int64',
      )
      expectEqual([await bulk.countPets(), await bulk.readPetImports()], [0, []], 'the number of pets, and the imports')
      await bulk.addPetLines(bytesOf(NEW), { to: begun })
      expectEqual(await bulk.countPets(), NEW.length, 'the number of pets after the next call')
    }),
  },
]

type LineFunction = 'readPetLines' | 'writePetLines' | 'addPetLines'

/** Runs a case, or says that it needs a function that bulk access lacks. */
function withLines<Name extends LineFunction>(
  name: Name,
  work: (bulk: BulkAccess & Required<Pick<BulkAccess, Name>>) => Promise<void>,
): (bulk: BulkAccess) => Promise<NotShown | undefined> {
  return async (bulk) => {
    if (bulk[name] === undefined) return `the adapter has no ${name}`
    await work(bulk as BulkAccess & Required<Pick<BulkAccess, Name>>)
    return undefined
  }
}

async function readText(
  bulk: Required<Pick<BulkAccess, 'readPetLines'>>,
  query: Partial<Parameters<BulkAccess['readPets']>[0]> = {},
): Promise<string> {
  return textOf(await bulk.readPetLines({ limit: ALL, ...query }))
}

function textOf(lines: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(lines)
}
