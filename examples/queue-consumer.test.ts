import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('queue-consumer.ts creates one pet for each message, and rejects invalid ones', () => {
  const messages = [
    { id: 'm1', pet: { name: 'Rex', categoryId: '9223372036854775807', status: 'available' } },
    { id: 'm2', pet: { name: ' ', categoryId: '1' } },
    { id: 'm1', pet: { name: 'Rex', categoryId: '9223372036854775807', status: 'available' } },
    { id: 'm1', pet: { name: 'Mia', categoryId: '1' } },
    { id: 'm3', pet: { name: 'Tom', categoryId: '1', status: 'gone' } },
    ...['seven', '', 7.5, null].map((categoryId) => ({
      id: 'm4',
      pet: { name: 'Tom', categoryId },
    })),
    { id: 'm5' },
  ]
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@pet-store/source', join(import.meta.dirname, 'queue-consumer.ts')],
    { encoding: 'utf8', input: messages.map((message) => `${JSON.stringify(message)}\n`).join('') },
  )
  expect(stderr).toBe('')
  expect(stdout.trimEnd().split('\n')).toEqual([
    'm1: created pet 1.',
    'm2: to the dead letters (pet_invalid): name must have a character that is not white space',
    'm1: already created pet 1.',
    expect.stringMatching(/^m1: to the dead letters \(idempotency_key_reused\): /),
    expect.stringMatching(/^m3: to the dead letters \(pet_invalid\): status must /),
    ...Array(4).fill(
      expect.stringMatching(/^m4: to the dead letters \(pet_invalid\): categoryId must /),
    ),
    expect.stringMatching(/^m5: to the dead letters \(pet_invalid\): /),
  ])
})
