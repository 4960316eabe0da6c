import { aNewPet } from '@pet-store/persistence-testing'
import { expect, it, onTestFinished } from 'vitest'
import { expectNothingStored, useLimitedUser } from '../testing/limited-user.test-support.ts'

const user = useLimitedUser()
const { onServer, role } = user

it.each([
  ['of 64 bits', 'increment by 1', '9223372036854775807'],
  ['of 64 bits in steps of 4', 'increment by 4', '9223372036854775805'],
  ['of a sequence with a maximum', 'maxvalue 9', '9'],
])('a database with exhausted ids %s is not ready, and nothing is stored', async (_, set, last) => {
  onTestFinished(
    async () => void (await onServer('alter sequence pet_id_seq increment by 1 no maxvalue')),
  )
  await onServer(`alter sequence pet_id_seq ${set}; select setval('pet_id_seq', ${last})`)
  await expect(user.persistence.check()).rejects.toThrow('no more ids')
  await expectNothingStored(user, '2200H')
})

it('a database without a sequence for ids is not ready', async () => {
  await onServer('alter sequence pet_id_seq owned by none')
  onTestFinished(async () => void (await onServer('alter sequence pet_id_seq owned by pet.id')))
  await expect(user.persistence.check()).rejects.toThrow(
    'The column id of the table pet has no sequence',
  )
})

it('a database with a sequence behind its table is not ready, and stores nothing', async () => {
  await onServer(
    "insert into pet (id, name, category_id) select n, 'Rex', 1 from generate_series(1, 4) n",
  )
  await expect(user.persistence.check()).rejects.toThrow('The next id, 1, is taken')
  await expectNothingStored(user, '23505')
  // Each attempt has used up an id.
  await user.persistence.check()
  await onServer("insert into pet (id, name, category_id) values (5, 'Rex', 1)")
  const remedy = await user.persistence.check().then(String, (error: Error) => error.message)
  await onServer(/Run (.*)\.$/.exec(remedy)?.[1] ?? '')
  expect((await user.persistence.pets.add(aNewPet())).id).toBe(6n)
})

it.each([
  ['a sequence that was restarted', 'alter sequence pet_id_seq restart with 5'],
  ['a sequence that was set', "select setval('pet_id_seq', 5, false)"],
  [
    'ids of another primary in the gaps of its sequence',
    "alter sequence pet_id_seq increment by 4; select nextval('pet_id_seq')",
  ],
])('a database with %s is ready, and stores pets', async (_, move) => {
  await onServer(
    "insert into pet (id, name, category_id) select n, 'Rex', 1 from generate_series(1, 4) n",
  )
  onTestFinished(async () => void (await onServer('alter sequence pet_id_seq increment by 1')))
  await onServer(move)
  // Without this right a sequence that was restarted looks like one that was never used.
  if (move.includes('5'))
    await expect(user.persistence.check()).rejects.toThrow(
      'this user may not see (grant select on it)',
    )
  await onServer(`grant select on sequence pet_id_seq to ${role}`)
  await user.persistence.check()
  expect((await user.persistence.pets.add(aNewPet())).id).toBe(5n)
})
