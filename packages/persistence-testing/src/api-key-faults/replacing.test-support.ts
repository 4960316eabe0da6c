import { BrokenOnPurpose, pause } from '../fault.test-support.ts'
import type { ApiKeyFault } from './broken-api-keys.test-support.ts'

const REPLACED = 'replaces a key: stores the successor, and lets the old one end'
const LONGER = 'never lets a replaced key live longer than it would have'
const ONCE = 'replaces a key once, also when many ask at the same time'
const IN_TURN = 'replaces a successor in its turn'
const NOT_THERE = 'refuses to replace a key that is not there, and stores nothing'
const TAKEN = 'refuses a successor whose id or hash is taken, and changes nothing'

export const replacingFaults: readonly ApiKeyFault[] = [
  {
    name: 'stores the successor, and lets the old key live',
    caughtBy: [REPLACED, IN_TURN],
    over: (keys) => ({
      ...keys,
      async replace(_, successor) {
        await keys.add(successor)
        return true
      },
    }),
  },
  {
    name: 'ends a key at the end of the overlap, however long that is',
    caughtBy: [LONGER],
    over: (keys) => {
      const ends = new Map<string, Date>()
      return {
        ...keys,
        async replace(id, successor, until) {
          ends.set(id, until)
          return keys.replace(id, successor, until)
        },
        async find(id) {
          const key = await keys.find(id)
          const end = ends.get(id)
          return key && end ? { ...key, expiresAt: end } : key
        },
      }
    },
  },
  {
    name: 'looks whether there is a successor, and lets others in between',
    caughtBy: [ONCE],
    over: (keys) => ({
      ...keys,
      async replace(id, successor, until) {
        const old = await keys.find(id)
        if (old?.replacedBy !== undefined) return false
        await pause()
        if (!(await keys.replace(id, successor, until))) await keys.add(successor)
        return true
      },
    }),
  },
  {
    name: 'cannot replace a successor',
    caughtBy: [IN_TURN],
    over(keys) {
      const successors = new Set<string>()
      return {
        ...keys,
        async replace(id, successor, until) {
          if (successors.has(id)) throw new BrokenOnPurpose('a successor')
          successors.add(successor.id)
          return keys.replace(id, successor, until)
        },
      }
    },
  },
  {
    name: 'adds a successor of nobody',
    caughtBy: [NOT_THERE],
    over: (keys) => ({
      ...keys,
      async replace(id, successor, until) {
        if (await keys.find(id)) return keys.replace(id, successor, until)
        await keys.add(successor)
        return true
      },
    }),
  },
  {
    name: 'ends the old key before it stores the successor',
    caughtBy: [TAKEN],
    over(keys) {
      const ended = new Set<string>()
      return {
        ...keys,
        replace(id, successor, until) {
          ended.add(id)
          return keys.replace(id, successor, until)
        },
        list: async () => (await keys.list()).filter(({ id }) => !ended.has(id)),
      }
    },
  },
]
