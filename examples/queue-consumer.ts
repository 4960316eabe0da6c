// The use cases of the pet store behind another wire: a consumer of a queue, whose messages are
// lines on standard input. A message may be delivered twice; its id is the idempotency key, so that
// it creates one pet. Run it with: node --conditions=@pet-store/source examples/queue-consumer.ts <
// messages.ndjson
import { createInterface } from 'node:readline'
import { createPetUseCases, isPetError, type PetInput } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'

interface Message {
  readonly id: string
  readonly pet?: { readonly name: string; readonly categoryId: string; readonly status?: string }
}

const { createPet } = createPetUseCases(createMemoryPets())

for await (const line of createInterface({ input: process.stdin })) {
  const { id, pet: body } = JSON.parse(line) as Message
  try {
    const idempotencyKey = { owner: 'queue', key: id, at: new Date() }
    const { pet, isReplay } = await createPet(inputOf(body), { idempotencyKey })
    console.log(`${id}: ${isReplay ? 'already created' : 'created'} pet ${pet.id}.`)
  } catch (error) {
    // Anything else is an internal error: the message stays in the queue and is delivered again.
    if (!isPetError(error)) throw error
    console.log(`${id}: to the dead letters (${error.code}): ${error.message}`)
  }
}

/**
 * The message has 64-bit integers as strings. What is none stays as it is, since `createPet` checks
 * all fields.
 */
function inputOf(pet: Message['pet']): PetInput {
  const { categoryId: text = '', ...fields } = { ...pet }
  const categoryId = /^-?\d+$/.test(text) ? BigInt(text) : text
  return { ...fields, categoryId } as PetInput
}
