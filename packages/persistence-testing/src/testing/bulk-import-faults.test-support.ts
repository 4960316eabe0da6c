import type { FakeBulk } from './fake-bulk.test-support.ts'
import { broken, type Faults, pause } from './fault.test-support.ts'

/** What bulk access does wrong with imports, and with the pets of an import. */
export const bulkImportFaults: Faults<FakeBulk> = {
  'add.other-import: continues an import with another file': {
    isWhere: (stored, from) => stored?.lines === from?.lines && stored?.state === from?.state,
  },
  'add.other-import: stores another import under its id': { isWhere: () => true },
  'add.other-import: stores the pets before it looks at the import': (bulk, { addPets }) => ({
    async addPets(pets, progress) {
      await addPets(pets)
      if (progress !== undefined) bulk.advance(progress)
    },
  }),
  'add.concurrent: looks where an import is, waits, and stores the pets': (bulk, { addPets }) => ({
    async addPets(pets, progress) {
      const stored = bulk.imports.find(({ id }) => id === progress?.to.id)
      if (progress !== undefined && !bulk.isWhere(stored, progress.from)) broken()
      await pause()
      await addPets(pets)
      if (progress !== undefined) bulk.storeImport(progress.to)
    },
  }),
  'beside-rejected: undoes with a call what others have written': (bulk, { addPets }) => ({
    async addPets(pets, progress) {
      const imports = [...bulk.imports]
      await pause()
      try {
        await addPets(pets, progress)
      } catch (error) {
        bulk.imports = bulk.imports.filter((one) => imports.includes(one))
        throw error
      }
    },
  }),
  'beside-rejected.reads: reads what a call has stored that may still be undone': (
    bulk,
    { addPets },
  ) => ({
    async addPets(pets, progress) {
      const imports = [...bulk.imports]
      if (progress !== undefined) bulk.advance(progress)
      await pause()
      await addPets(pets).catch((error: unknown) => {
        bulk.imports = imports
        throw error
      })
    },
  }),
  'imports: keeps the import that is stored': (bulk, { writePetImports }) => ({
    writePetImports: (items) =>
      writePetImports(items.filter(({ id }) => !bulk.imports.some((stored) => stored.id === id))),
  }),
  'imports: writes one import after the other': (bulk) => ({
    async writePetImports(imports) {
      for (const item of imports) bulk.storeImport({ ...item })
    },
  }),
  'imports: reads imports in the order of the text of their ids': (_, { readPetImports }) => ({
    readPetImports: async () =>
      (await readPetImports()).toSorted((one, other) => (`${one.id}` < `${other.id}` ? -1 : 1)),
  }),
  'imports: cannot write no imports': (_, { writePetImports }) => ({
    writePetImports: async (imports) =>
      imports.length === 0 ? broken() : writePetImports(imports),
  }),
  'imports: reads imports in the order of writing': (bulk) => ({
    storeImport(item) {
      bulk.imports = [...bulk.imports.filter(({ id }) => id !== item.id), item]
    },
  }),
  'imports: keeps the time of a replaced import': (bulk, { writePetImports }) => ({
    writePetImports: (items) =>
      writePetImports(
        items.map((item) => {
          const stored = bulk.imports.find(({ id }) => id === item.id)
          return { ...item, changedAt: stored?.changedAt ?? item.changedAt }
        }),
      ),
  }),
}
