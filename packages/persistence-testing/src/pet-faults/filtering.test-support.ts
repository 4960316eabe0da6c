import { PET_STATUSES, type Pet, type PetQuery } from '@pet-store/domain'
import { listing, type PetFault } from './broken-pets.test-support.ts'

/** What `PetQuery` asks for, with each of its three parts replaceable. */
function select(all: readonly Pet[], { status, after, limit }: PetQuery): readonly Pet[] {
  const matching = all.filter((pet) => status === undefined || pet.status === status)
  return matching.filter((pet) => after === undefined || pet.id > after).slice(0, limit)
}

export const filteringFaults: readonly PetFault[] = [
  {
    name: 'hides pets without a status when no filter is given',
    caughtBy: ['lists pets of every status and of none without a filter'],
    over: (pets) =>
      listing(pets, (query, all) =>
        select(
          all.filter((pet) => pet.status !== undefined),
          query,
        ),
      ),
  },
  {
    name: 'ignores the filter',
    caughtBy: [
      ...PET_STATUSES.map((status) => `lists only pets with the status ${status}`),
      'lists only matching pets after an id',
      'lists nothing for a status that no pet has',
    ],
    over: (pets) => listing(pets, ({ status: _, ...query }, all) => select(all, query)),
  },
  {
    name: 'takes a pet without a status for an available one',
    caughtBy: ['matches a pet without a status with no filter', 'lists only pets with the status available'],
    over: (pets) =>
      listing(pets, (query, all) =>
        all.filter((pet) => query.status === undefined || (pet.status ?? 'available') === query.status),
      ),
  },
  {
    name: 'matches a pet without a status with every filter',
    caughtBy: ['matches a pet without a status with no filter', 'lists only pets with the status sold'],
    over: (pets) =>
      listing(pets, ({ status }, all) => all.filter((pet) => pet.status === undefined || pet.status === status)),
  },
  {
    name: 'lists everything when nothing matches',
    caughtBy: ['lists nothing for a status that no pet has'],
    over: (pets) =>
      listing(pets, (query, all) => {
        const found = select(all, query)
        return found.length === 0 ? all : found
      }),
  },
  {
    name: 'takes the limit first and then filters',
    caughtBy: ['counts only matching pets towards the limit', 'joins filter, position and limit'],
    over: (pets) =>
      listing(pets, ({ status, ...query }, all) =>
        select(all, query).filter((pet) => status === undefined || pet.status === status),
      ),
  },
  {
    name: 'ignores the position when a filter is given',
    caughtBy: ['lists only matching pets after an id', 'joins filter, position and limit'],
    over: (pets) =>
      listing(pets, (query, all) => select(all, query.status ? { status: query.status, limit: query.limit } : query)),
  },
  {
    name: 'looks for the position among the matching pets alone',
    caughtBy: ['lists matching pets after the id of a pet that does not match'],
    over: (pets) =>
      listing(pets, ({ after, ...query }, all) => {
        const matching = select(all, { ...query, limit: all.length })
        const start = after === undefined ? 0 : matching.findIndex((pet) => pet.id === after) + 1
        return after !== undefined && start === 0 ? [] : matching.slice(start, start + query.limit)
      }),
  },
  {
    name: 'ignores the limit when a filter and a position are given',
    caughtBy: ['joins filter, position and limit'],
    over: (pets) =>
      listing(pets, (query, all) => select(all, query.status && query.after ? { ...query, limit: all.length } : query)),
  },
]
