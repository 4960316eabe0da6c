import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createPetStoreClient } from './create-pet-store-client.ts'
import { rejectionOf } from './testing/start-stub.test-support.ts'

/** As React Native has them: without a reason, and without `throwIfAborted`. */
class PlainSignal extends EventTarget {
  aborted = false
  abort(): void {
    this.aborted = true
    this.dispatchEvent(new Event('abort'))
  }
}

it.each(['before it begins', 'during an attempt', 'during a delay'])(
  'a call that a signal without a reason cancels %s rejects with an AbortError',
  async (moment) => {
    const signal = new PlainSignal()
    const client = createPetStoreClient({
      baseUrl: 'https://pets.example/v1',
      onRetry: () => signal.abort(),
      fetch: () => {
        if (moment === 'during an attempt') signal.abort()
        return Promise.reject(new TypeError('broken'))
      },
    })
    if (moment === 'before it begins') signal.abort()
    const call = client.listPets({}, { signal: signal as unknown as AbortSignal })
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
  },
)

it('the cause of an error has the code of one of another realm, as in Jest', async () => {
  const client = createPetStoreClient({
    baseUrl: 'https://pets.example/v1',
    retries: 0,
    fetch: async () => {
      throw runInNewContext(
        `new TypeError('fetch failed', {
          cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
        })`,
      )
    },
  })
  expect(await rejectionOf(client.listPets())).toMatchObject({
    code: 'connection_failed',
    cause: {
      name: 'TypeError',
      message: 'fetch failed',
      cause: { message: 'refused', code: 'ECONNREFUSED' },
    },
  })
})

it('a date in Retry-After is compared with the Date of its response', async () => {
  const [date, retryAfter] = ['Wed, 21 Oct 2015 07:28:00 GMT', 'Wed, 21 Oct 2015 07:29:00 GMT']
  const headers = { Date: date, 'Retry-After': retryAfter }
  const client = createPetStoreClient({
    baseUrl: 'https://pets.example/v1',
    fetch: async () => new Response('', { status: 503, headers }),
  })
  expect(await rejectionOf(client.listPets())).toMatchObject({ retryAfterMs: 60_000 })
})
