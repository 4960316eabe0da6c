import fc from 'fast-check'

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800
const LAST_CODE_POINT = 0x10ffff

/**
 * Every character but lone surrogates, like the unit `binary` of fast-check. That keeps all of them
 * in a Map of a million entries, which takes seconds and makes the garbage collection of later
 * tests slow.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: LAST_CODE_POINT - SURROGATES }).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  // The way back, by which fast-check mixes in texts of its own, such as `__proto__`.
  (text) => {
    const code = typeof text === 'string' ? text.codePointAt(0) : undefined
    if (code === undefined || text !== String.fromCodePoint(code))
      throw new TypeError('It is not a single character.')
    return code < FIRST_SURROGATE ? code : code - SURROGATES
  },
)
