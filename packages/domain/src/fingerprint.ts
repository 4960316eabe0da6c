import { type NewPet, PET_FIELDS } from './pet.ts'

/**
 * The content of a pet as text: equal content has equal fingerprints. Fingerprints are stored with
 * idempotency keys, so the format must not change. The fields are in reverse order, because `name`
 * may contain any character and must therefore be at the end. A field that is added later is
 * `field=value&`, with the value encoded by `encodeURIComponent`, or nothing when it is absent.
 */
export function fingerprintOf(pet: NewPet): string {
  return Object.values(PET_FIELDS).reduce((text, { fingerprint }) => fingerprint(pet) + text, '')
}
