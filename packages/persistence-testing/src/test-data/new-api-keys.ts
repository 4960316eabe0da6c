import type { NewApiKey } from '@pet-store/access'
import { after } from './times.ts'

/**
 * A key as a repository gets it; the name is enough to distinguish two. A case names only the
 * fields that it is about.
 */
export function aNewApiKey(name: string, fields: Partial<NewApiKey> = {}): NewApiKey {
  return {
    id: `key_${name}`,
    sha256: hashOf(name),
    name,
    scopes: ['pets:read'],
    createdAt: after(0),
    ...fields,
  }
}

/** 64 hexadecimal digits, different for each short name. */
export function hashOf(name: string): string {
  return [...name]
    .map((letter) => letter.codePointAt(0)?.toString(16).padStart(2, '0'))
    .join('')
    .padStart(64, '0')
}

/** A key as a repository returns it. */
export function withoutHash(key: NewApiKey): Omit<NewApiKey, 'sha256'> {
  const { sha256: _, ...rest } = key
  return rest
}
