import { validateNewPet } from '@pet-store/domain'
import { createDatabase } from '@pet-store/testing-postgres'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { readPostgresMigrations } from './migrations.ts'
import { openPostgresPersistence } from './open-persistence.ts'
import { migrateToOlderRelease, openOlderInstance } from './testing/older-release.test-support.ts'

/** The long form is `pnpm test:migrations`. */
const PETS = process.env['MODE'] === 'faults' ? 1_000_000 : 5_000
const WRITERS = 4
/** Each writer adds as many before the migration begins and after it has ended. */
const ADDS_AROUND = 25
const NOW = Date.parse('2027-01-01T12:00:00Z')

/** While the keys are copied, adds wait; that release responds to those that time out with 503, "was not added". */
const TIMED_OUT = 'timed out'
function unlessTimedOut(error: Error & { readonly code?: string }): string {
  if (error.code === '57014') return TIMED_OUT
  throw error
}

/** Works until it is told to stop, and then `ADDS_AROUND` times more. Counts in `done`. */
function repeat(work: (count: number) => Promise<void>) {
  const run = { done: 0, isStopping: false, ended: Promise.resolve() }
  run.ended = (async () => {
    while (!run.isStopping) await work(run.done++)
    for (let more = 0; more < ADDS_AROUND; more += 1) await work(run.done++)
  })()
  // The test awaits it at the end.
  run.ended.catch(() => undefined)
  return run
}

it('a database is migrated while the release before and this one serve, and has every acknowledged pet', {
  timeout: 600_000,
}, async () => {
  const { url, drop } = await createDatabase(inject('postgresUrl'))
  onTestFinished(drop)
  await migrateToOlderRelease(url)
  const acknowledged = new Map<string, { readonly name: string; readonly key: string }>()
  const first = await openOlderInstance(url)
  const older = [first, ...(await Promise.all(Array.from({ length: WRITERS - 1 }, () => openOlderInstance(url))))]
  onTestFinished(async () => void (await Promise.all(older.map(({ close }) => close()))))
  await first.client.query(
    `set statement_timeout = 0; insert into pet (name, category_id, once_owner, once_key, once_fingerprint, once_at)
     select 'Pet ' || n, n, 'shop', case when n % 10 = 0 then 'old ' || n end, 'f', ${NOW} from generate_series(1, ${PETS}) n; reset statement_timeout`,
  )

  const runs = older.map((instance, writer) =>
    repeat(async (count) => {
      const [name, key] = [`Older ${writer} ${count}`, `older ${writer} ${count}`]
      const id = await instance.add(key, NOW, name).catch(unlessTimedOut)
      if (id === TIMED_OUT) return
      acknowledged.set(id ?? 'none', { name, key })
      expect(await instance.list(BigInt(id ?? 0) - 1n, 20)).toContainEqual(expect.objectContaining({ id, name }))
    }),
  )
  await vi.waitUntil(() => runs.every(({ done }) => done > ADDS_AROUND), { timeout: 60_000 })

  const newer = await openPostgresPersistence({ url, migrate: true })
  onTestFinished(newer.close)
  for (let count = 0; count < ADDS_AROUND; count += 1) {
    const pet = validateNewPet({ name: `Newer ${count}`, categoryId: 1n })
    const key = { owner: 'shop', key: `newer ${count}`, fingerprint: 'f', at: new Date(NOW) }
    const created = await newer.pets.addWithKey(pet, key)
    acknowledged.set(String(created.pet.id), { name: pet.name, key: key.key })
  }
  for (const run of runs) run.isStopping = true
  await Promise.all(runs.map(({ ended }) => ended))

  expect((await readPostgresMigrations({ url })).pending).toEqual([])
  const { rows } = await first.client.query<{ id: string; name: string }>(
    "select id, name from pet where name not like 'Pet %'",
  )
  expect(new Map(rows.map(({ id, name }) => [id, name]))).toEqual(
    new Map([...acknowledged].map(([id, { name }]) => [id, name])),
  )
  // Both releases know the key of each, whoever stored it.
  for (const [id, { name, key }] of acknowledged) {
    const pet = validateNewPet({ name, categoryId: 1n })
    const known = { owner: 'shop', key, fingerprint: 'f', at: new Date(NOW) }
    expect(await newer.pets.addWithKey(pet, known)).toMatchObject({ pet: { id: BigInt(id), name }, isReplay: true })
    expect(await first.find(key)).toBe(id)
  }
})
