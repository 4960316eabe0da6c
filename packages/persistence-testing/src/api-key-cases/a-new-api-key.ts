import type { NewApiKey } from '@pet-store/access'

export const NOON: Date = new Date('2027-01-01T12:00:00.123Z')

/** A time so many milliseconds after noon. */
export function after(milliseconds: number): Date {
  return new Date(NOON.getTime() + milliseconds)
}

/** A key as storage gets it; the name alone tells two apart. A case names only the fields that it is about. */
export function aNewApiKey(name: string, fields: Partial<NewApiKey> = {}): NewApiKey {
  return { id: `key_${name}`, sha256: hashOf(name), name, scopes: ['pets:read'], createdAt: after(0), ...fields }
}

/** Something of the form of a hash, different for each short name. */
export function hashOf(name: string): string {
  return [...name]
    .map((letter) => letter.codePointAt(0)?.toString(16).padStart(2, '0'))
    .join('')
    .padStart(64, '0')
}
