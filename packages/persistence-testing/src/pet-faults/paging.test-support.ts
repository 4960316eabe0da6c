import { BrokenOnPurpose } from '../fault.test-support.ts'
import { listing, type PetFault } from './broken-pets.test-support.ts'

const lists = (position: string): string => `lists exactly the pets after ${position}`

export const pagingFaults: readonly PetFault[] = [
  {
    name: 'ignores the position',
    caughtBy: [
      ...['the first id', 'the last id', 'the id after the last', '2^53+1', 'the greatest int64'].map(lists),
      lists('the first id and 2^32'),
      'shows each pet once to whoever goes from page to page',
    ],
    over: (pets) => listing(pets, ({ limit }, all) => all.slice(0, limit)),
  },
  {
    name: 'lists the pet at the position too',
    caughtBy: [
      ...['the first id', 'the last id'].map(lists),
      'shows each pet once to whoever goes from page to page',
      'shows each pet once to whoever goes from page to page while others add',
    ],
    over: (pets) =>
      listing(pets, ({ after, limit }, all) =>
        all.filter((pet) => after === undefined || pet.id >= after).slice(0, limit),
      ),
  },
  {
    name: 'lists nothing after an id that does not exist',
    caughtBy: ['the id before the first', '0', '-1', 'the smallest int64', 'the last id less 2^32'].map(lists),
    over: (pets) =>
      listing(pets, ({ after, limit }, all) => {
        const start = after === undefined ? 0 : all.findIndex((pet) => pet.id === after) + 1
        return after !== undefined && start === 0 ? [] : all.slice(start, start + limit)
      }),
  },
  {
    name: 'rejects a position that does not exist',
    caughtBy: ['lists nothing after any id when it is empty', lists('the id before the first')],
    over: (pets) =>
      listing(pets, (query, all) => {
        if (query.after === undefined || all.some((pet) => pet.id === query.after)) return pets.list(query)
        throw new BrokenOnPurpose(`no row ${query.after}`)
      }),
  },
  {
    name: 'cuts positions to 32 bits',
    caughtBy: ['the first id and 2^32', 'the last id less 2^32', 'the greatest int64'].map(lists),
    over: (pets) =>
      listing(pets, ({ after, ...query }) =>
        pets.list(after === undefined ? query : { ...query, after: BigInt.asIntN(32, after) }),
      ),
  },
  {
    name: 'leaves one pet out between two pages',
    caughtBy: ['shows each pet once to whoever goes from page to page'],
    over: (pets) =>
      listing(pets, ({ after, ...query }) => pets.list(after === undefined ? query : { ...query, after: after + 1n })),
  },
  {
    name: 'starts a page one pet later for each pet that was added since the page before',
    caughtBy: ['shows each pet once to whoever goes from page to page while others add'],
    over(pets) {
      let addedSince = 0
      return {
        ...pets,
        async add(pet) {
          addedSince += 1
          return pets.add(pet)
        },
        async list(query) {
          const skipped = query.after === undefined ? 0 : addedSince
          addedSince = 0
          return (await pets.list({ ...query, limit: query.limit + skipped })).slice(skipped)
        },
      }
    },
  },
]
