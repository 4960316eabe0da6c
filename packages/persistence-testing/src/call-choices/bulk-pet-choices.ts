import type { Pet, PetId } from '@pet-store/domain'
import type { PetImport } from '@pet-store/persistence'
import fc from 'fast-check'
import { expectEqual } from '../case/expectations.ts'
import { type Model, nthOf, sortedPets, storePet } from '../model/model.ts'
import {
  type Choice,
  type Choices,
  expectRejected,
  expectValue,
  resultOf,
} from '../model/model-call.ts'
import { hashOf } from '../test-data/new-api-keys.ts'
import { withoutId } from '../test-data/new-pets.ts'
import { ascending } from '../test-data/stored-pets.ts'
import { after } from '../test-data/times.ts'
import { newPets } from './add-choices.ts'
import { type BulkFunction, bulkCalls } from './bulk-call.ts'
import { idFrom, references } from './pet-choices.ts'

/** More than a sequence stores. */
const ALL = 100_000

const COUNT_PETS: BulkFunction<readonly []> = {
  name: 'countPets',
  use: (bulk) => bulk.countPets(),
  apply: (model, _, outcome, text) => expectValue(outcome, model.pets.size, text),
}

const countPets = bulkCalls(
  COUNT_PETS,
  fc.constant(() => [] as const),
)

export const READ_PETS: BulkFunction<readonly [after: PetId, limit: number]> = {
  name: 'readPets',
  use: (bulk, position, limit) => bulk.readPets({ after: position, limit }),
  apply: (model, [position, limit], outcome, text) => {
    const following = sortedPets(model).filter(({ id }) => id > position)
    expectValue(outcome, following.slice(0, limit), text)
  },
}

const readPets = bulkCalls(
  READ_PETS,
  fc.tuple(references, fc.constantFrom(1, 2, 7, 1_000)).map(
    ([reference, limit]) =>
      (model: Model) =>
        [idFrom(model, reference), limit] as const,
  ),
)

/** Anywhere in int64, but with ids left for pets that are added later. */
const writtenIds = fc.oneof(
  fc.bigInt({ min: 1n, max: 60n }),
  fc.bigInt({ min: -60n, max: 0n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 55n }),
)

/** Moves the ids past those that were written, as an import does. */
const writePets = bulkCalls(
  {
    name: 'writePets',
    use: async (bulk, pets) => {
      await bulk.writePets(pets)
      await bulk.movePetIdsPast(greatest(pets.map(({ id }) => id)))
    },
    apply: (model, [pets], outcome, text) => {
      if (pets.some(({ id }) => model.pets.has(id))) return expectRejected(outcome, text)
      resultOf(outcome, text)
      for (const pet of pets) storePet(model, pet)
      moveIds(model, greatest(pets.map(({ id }) => id)))
    },
  },
  fc
    .uniqueArray(fc.tuple(writtenIds, newPets), { maxLength: 5, selector: ([id]) => id })
    .map((pairs) => () => [pairs.map(([id, pet]): Pet => ({ id, ...pet }))] as const),
)

/** Of several ids and 0. */
const greatest = (ids: readonly PetId[]): PetId => ascending([0n, ...ids]).at(-1) as PetId

function moveIds(model: Model, id: PetId): void {
  for (const index of [0, 1]) model.lastIds[index] = greatest([model.lastIds[index] ?? 0n, id])
}

const movePetIdsPast = bulkCalls(
  {
    name: 'movePetIdsPast',
    use: async (bulk, id) => {
      await bulk.movePetIdsPast(id)
      return bulk.lastPetId()
    },
    apply: (model, [id], outcome, text) => {
      const last = resultOf(outcome, text) as PetId
      const least = greatest([...model.usedIds, id])
      expectEqual(
        last >= least,
        true,
        `whether lastPetId, ${last}, after ${text} is at least ${least}`,
      )
      moveIds(model, id)
    },
  },
  fc
    .oneof(fc.bigInt({ min: -5n, max: 100n }), fc.bigInt({ min: 0n, max: 2n ** 55n }))
    .map((id) => () => [id] as const),
)

/** Of new pets only those that are far from the ids that calls at the same time get. */
export const WRITE_PETS: BulkFunction<readonly [pets: readonly Pet[]]> = {
  name: 'writePets',
  use: (bulk, pets) => bulk.writePets(pets),
  apply: (model, [pets], outcome, text) => {
    if (pets.some(({ id }) => model.pets.has(id))) return expectRejected(outcome, text)
    expectValue(outcome, undefined, text)
    for (const pet of pets) storePet(model, pet)
  },
  done: { value: undefined },
}

const writePetsAtOnce = bulkCalls(
  WRITE_PETS,
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(0n, 0n, -1n, 2n ** 40n), newPets), {
      minLength: 1,
      maxLength: 3,
      selector: ([id]) => id,
    })
    .map((pairs) => () => [pairs.map(([id, pet]): Pet => ({ id, ...pet }))] as const),
)

/** Past ids that calls at the same time may get. */
export const MOVE_PET_IDS_PAST: BulkFunction<readonly [id: PetId]> = {
  name: 'movePetIdsPast',
  use: (bulk, id) => bulk.movePetIdsPast(id),
  apply: (model, [id], outcome, text) => {
    expectValue(outcome, undefined, text)
    moveIds(model, id)
  },
  done: { value: undefined },
}

const movePetIdsPastAtOnce = bulkCalls(
  MOVE_PET_IDS_PAST,
  fc.constantFrom(0n, 1n, 1n, 2n).map((distance) => (model: Model) => {
    // An opening that has assigned none has no last one.
    const assigned = model.lastIds.filter((id) => id !== undefined)
    const last = greatest([...assigned, ...model.usedIds])
    return [last + distance] as const
  }),
)

/** Calls of bulk access that may be made beside each other, and beside those on pets. */
export const bulkPetChoicesAtOnce: Choices = fc.oneof(
  { weight: 3, arbitrary: writePetsAtOnce },
  { weight: 2, arbitrary: movePetIdsPastAtOnce },
)

const imports = ({ imports: all }: Model) => [...all.values()]

/** A new import, one that advances, or one that is rejected. */
const progress = fc
  .record({
    number: fc.nat(),
    kind: fc.constantFrom('none', 'begins', 'advances', 'advances', 'is behind', 'is another file'),
    lines: fc.integer({ min: 1, max: 9 }),
    isFinished: fc.boolean(),
    changedAt: fc.nat({ max: 9 }),
  })
  .map(({ number, kind, lines, isFinished, changedAt }) => (model: Model) => {
    const state: PetImport['state'] = isFinished ? 'finished' : 'unfinished'
    const stored = nthOf(imports(model), number)
    if (kind === 'none') return undefined
    if (kind === 'begins' || stored === undefined) {
      const id = BigInt(1 + (number % 4))
      return { to: { id, sha256: hashOf('a'), state, lines, changedAt: after(changedAt) } }
    }
    const from: PetImport = {
      ...stored,
      ...(kind === 'is behind' && { lines: stored.lines - 1 }),
      ...(kind === 'is another file' && { sha256: hashOf('b') }),
    }
    const to = { ...from, state, lines: stored.lines + lines, changedAt: after(changedAt) }
    return { from, to }
  })

const addPets = bulkCalls(
  {
    name: 'addPets',
    use: async (bulk, pets, imported) => {
      await bulk.addPets(pets, imported)
      return bulk.readPets({ limit: ALL })
    },
    apply: (model, [pets, imported], outcome, text) => {
      if (imported !== undefined && !mayAdvance(model, imported))
        return expectRejected(outcome, text)
      const stored = resultOf(outcome, text) as readonly Pet[]
      const added = stored.filter(({ id }) => !model.pets.has(id))
      expectNew(model, added, text)
      expectEqual(
        added.map(withoutId),
        pets,
        `the new pets after ${text}, in the order of their ids`,
      )
      for (const pet of added) storePet(model, pet)
      if (imported !== undefined) model.imports.set(imported.to.id, imported.to)
    },
  },
  fc.tuple(fc.array(newPets, { maxLength: 5 }), progress).map(
    ([pets, progressOf]) =>
      (model: Model) =>
        [pets, progressOf(model)] as const,
  ),
)

function mayAdvance(
  model: Model,
  { from, to }: { readonly from?: PetImport; readonly to: PetImport },
): boolean {
  const stored = model.imports.get(to.id)
  if (from === undefined) return stored === undefined
  return stored?.sha256 === from.sha256 && stored.lines === from.lines
}

function expectNew(model: Model, added: readonly Pet[], text: string): void {
  const used = added.map(({ id }) => id).filter((id) => id <= 0n || model.usedIds.has(id))
  expectEqual(
    used,
    [],
    `the ids of new pets after ${text} that were used before, or are not positive`,
  )
}

const READ_PET_IMPORTS: BulkFunction<readonly []> = {
  name: 'readPetImports',
  use: (bulk) => bulk.readPetImports(),
  apply: (model, _, outcome, text) => {
    const sorted = imports(model).sort((one, other) => (one.id < other.id ? -1 : 1))
    expectValue(outcome, sorted, text)
  },
}

const readPetImports = bulkCalls(
  READ_PET_IMPORTS,
  fc.constant(() => [] as const),
)

const newImports: fc.Arbitrary<PetImport> = fc.record(
  {
    id: fc.oneof(fc.bigInt({ min: 1n, max: 4n }), fc.constant(2n ** 53n + 1n)),
    sha256: fc.constantFrom(hashOf('a'), hashOf('b')),
    state: fc.constantFrom('unfinished', 'finished'),
    lines: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    changedAt: fc.nat({ max: 9 }).map(after),
  },
  { noNullPrototype: true },
)

const WRITE_PET_IMPORTS: BulkFunction<readonly [all: readonly PetImport[]]> = {
  name: 'writePetImports',
  use: (bulk, all) => bulk.writePetImports(all),
  apply: (model, [all], outcome, text) => {
    expectValue(outcome, undefined, text)
    for (const one of all) model.imports.set(one.id, one)
  },
  done: { value: undefined },
}

export const writePetImports: Choices = bulkCalls(
  WRITE_PET_IMPORTS,
  fc
    .uniqueArray(newImports, { maxLength: 3, selector: ({ id }) => id })
    .map((all) => () => [all] as const),
)

/** Every call of bulk access on pets and their imports. */
export const bulkPetChoices: Choices = fc.oneof(
  { weight: 1, arbitrary: countPets },
  { weight: 2, arbitrary: readPets },
  { weight: 3, arbitrary: writePets },
  { weight: 1, arbitrary: movePetIdsPast },
  { weight: 4, arbitrary: addPets },
  { weight: 1, arbitrary: readPetImports },
  { weight: 1, arbitrary: writePetImports },
)

/** Reads everything that they store, but pets, which the port reads. */
export const lastBulkPetChoices: readonly Choice[] = [countPets, readPetImports].flatMap((read) =>
  fc.sample(read, { seed: 1, numRuns: 1 }),
)
