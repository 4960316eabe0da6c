export const STATUSES = ['available', 'pending', 'sold'] as const
export type Status = (typeof STATUSES)[number]

/** A row as the libraries give it. */
export interface PetRow {
  id: number
  name: string
  categoryId: number
  status: string | null
}

export interface NewPet {
  name: string
  categoryId: number
  status?: Status | undefined
}

export interface PetQuery {
  limit: number
  status?: Status | undefined
  after?: number | undefined
}

/** A pet on the wire: a status that nobody gave is left out. */
export function petBody({ id, name, categoryId, status }: PetRow) {
  return status === null ? { id, name, categoryId } : { id, name, categoryId, status }
}

/** What the three Fastify servers differ in. */
export interface PetStore {
  list(query: PetQuery): PetRow[] | Promise<PetRow[]>
  get(id: number): PetRow | undefined | null | Promise<PetRow | undefined | null>
  add(pet: NewPet): PetRow | Promise<PetRow>
}
