import type { Pet } from '@pet-store/domain'
import { BrokenOnPurpose } from '../fault.test-support.ts'
import { listing, type PetFault } from './broken-pets.test-support.ts'

export const listingFaults: readonly PetFault[] = [
  {
    name: 'answers null when it is empty',
    caughtBy: ['lists nothing when it is empty'],
    over: (pets) => listing(pets, (_, all) => (all.length === 0 ? (null as unknown as readonly Pet[]) : all)),
  },
  {
    name: 'rejects a list when it is empty',
    caughtBy: ['lists nothing when it is empty', 'lists nothing after any id when it is empty'],
    over: (pets) =>
      listing(pets, (query, all) => {
        if (all.length === 0) throw new BrokenOnPurpose('no rows')
        return pets.list(query)
      }),
  },
  {
    name: 'orders ids as text',
    caughtBy: ['lists by ascending id, 10 after 9', 'lists by ascending id also what was added at the same time'],
    over: (pets) => listing(pets, (_, all) => all.toSorted((one, other) => (`${one.id}` < `${other.id}` ? -1 : 1))),
  },
  {
    name: 'lists the newest first',
    caughtBy: ['lists by ascending id, 10 after 9', 'lists by ascending id also what was added at the same time'],
    over: (pets) => listing(pets, (_, all) => all.toReversed()),
  },
  {
    name: 'caps a list at a hundred',
    caughtBy: ['lists more than a hundred pets when asked to'],
    over: (pets) => ({ ...pets, list: (query) => pets.list({ ...query, limit: Math.min(query.limit, 100) }) }),
  },
  {
    name: 'refuses limits above a hundred',
    caughtBy: ['lists more than a hundred pets when asked to', 'lists all for a limit of 101'],
    over: (pets) => ({
      ...pets,
      async list(query) {
        if (query.limit > 100) throw new BrokenOnPurpose('limit is too great')
        return pets.list(query)
      },
    }),
  },
  {
    name: 'lists one pet less than asked for',
    caughtBy: [
      'lists one pet for a limit of 1',
      'lists all but one for a limit one below their number',
      'lists all for a limit of their number',
    ],
    over: (pets) => listing(pets, ({ limit }, all) => all.slice(0, limit - 1)),
  },
  {
    name: 'ignores the limit',
    caughtBy: ['lists one pet for a limit of 1', 'lists all but one for a limit one below their number'],
    over: (pets) => listing(pets, (_, all) => all),
  },
  {
    name: 'fills a list up to the limit',
    caughtBy: ['lists all for a limit one above their number', 'lists all for a limit of 101'],
    over: (pets) =>
      listing(pets, ({ limit }, all) => Array.from({ length: Math.min(limit, 200) }, (_, index) => all[index] as Pet)),
  },
  {
    name: 'cuts the limit to 32 bits',
    caughtBy: ['lists all for the greatest limit'],
    over: (pets) =>
      listing(pets, ({ limit }, all) => (Math.trunc(limit) | 0 ? all.slice(0, Math.max(limit | 0, 0)) : [])),
  },
]
