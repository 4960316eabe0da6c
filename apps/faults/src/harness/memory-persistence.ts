import { createMemoryPets } from '@pet-store/domain/memory'
import type { OpenPersistence } from '@pet-store/persistence'

/** The memory repository as a persistence module: what it holds ends with the process. */
const openMemoryPersistence: OpenPersistence = async () => ({
  pets: createMemoryPets(),
  check: async () => {},
  close: async () => {},
})
export default openMemoryPersistence
