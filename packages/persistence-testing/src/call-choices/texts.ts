import { PET_NAME } from '@pet-store/domain'
import fc from 'fast-check'
import { ODD_NAMES } from '../test-data/odd-texts.ts'

/** Any character; fast-check's own take a second to prepare. */
const characters = fc
  .integer({ min: 1, max: 0x10_ff_ff })
  .map((codePoint) => String.fromCodePoint(codePoint))

/** Any text of them that can be stored. */
const anyText = (maxLength: number) =>
  fc
    .string({ unit: characters, minLength: 1, maxLength, size: 'max' })
    .filter((text) => !PET_NAME.unstorable.test(text) && PET_NAME.notBlank.test(text))

/** The name of a pet: short ones mostly, which makes sequences easy to read. */
export const petNames: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('Rex', 'Mia', 'Zoe') },
  { weight: 3, arbitrary: fc.constantFrom(...ODD_NAMES) },
  { weight: 1, arbitrary: anyText(20) },
  { weight: 1, arbitrary: anyText(PET_NAME.maxCodePoints) },
)

/** Few texts that many comparisons take for each other, so that calls often meet the same one. */
export const similarTexts: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'a', 'b', 'A', 'a ', 'a:b') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['a%', '*', '__proto__', '\uFF41', 'Zo\u00EB', 'Zoe\u0308'],
      ...['"', '\\', '\\\\', '1', '01'],
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('k'.repeat(64), `${'k'.repeat(63)}l`) },
)

const CONTROL = /\p{Cc}/u
const MAX_KEY_NAME = 100
const isKeyName = (text: string) => [...text].length <= MAX_KEY_NAME && !CONTROL.test(text)

/** The name of an API key, and of who creates or revokes one. */
export const keyNames: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('kiosk', 'Ada', ' kiosk ', 'Zoe\u0308', 'O\u2019Hara "x" \\ %_'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...ODD_NAMES.filter(isKeyName), '🐕'.repeat(MAX_KEY_NAME)),
  },
  { weight: 1, arbitrary: anyText(MAX_KEY_NAME).filter(isKeyName) },
)
