import { PET_NAME } from '@pet-store/domain'

/**
 * The name of most bytes: its characters have four each, and repeat nothing, so that no database
 * can compress them. An index may take fewer bytes.
 */
export const LONGEST_NAME: string = Array.from({ length: PET_NAME.maxCodePoints }, (_, index) =>
  String.fromCodePoint(0x10000 + (Math.imul(index + 1, 0x9e3779b1) >>> 12)),
).join('')

/** What encodings, drivers, collations and careless statements change. */
export const ODD_NAMES: readonly string[] = [
  ...[`O'Hara`, `"Rex"`, '`Rex`', '\\', '\\\\', `\\'`, `'; DROP TABLE pets; --`],
  ...['?', '??', '$1', ':name', '@p1', '%', '_', '{}', '\\u0000'],
  // Look like another type.
  ...['007', '1e3', 'null', 'NULL', 'true', '2030-12-05T00:00:00Z', '{"a":1}', '[]'],
  ...['REX', 'rex', 'Straße', 'İstanbul'],
  ...['🐕', '👩🏽‍🚒', '🏳️‍🌈', '🇺🇳'],
  ...['كلب', 'כלב', 'Rex \u202Eכלב\u202C'],
  // The first two look alike, one composed and one not, and so do the last two.
  ...['Zo\u00EB', 'Zoe\u0308', '\uAC00', '\u1100\u1161', '\u212B', '\u00C5'],
  ...['  Rex  ', '\tRex\r\n', '\uFEFFRex\uFEFF', '\u00A0Rex\u3000'],
  // Separate lines, for some readers of lines.
  ...['Rex\u2028Rex', 'Rex\u2029', 'Rex\u0085Rex', 'Rex\vRex\fRex'],
  // Control characters and non-characters.
  ...['\u0001Rex\u001F', 'Rex\u007F\u0085', 'Rex\uFFFF', '\u{10FFFF}'],
  '🐕'.repeat(PET_NAME.maxCodePoints),
  LONGEST_NAME,
]

/**
 * Different texts, as ids, owners and keys may be, that collations, encodings, patterns and
 * careless comparisons take for each other.
 */
export const ALIKE_TEXTS: readonly string[] = [
  ...['k', 'K', 'k ', ' k', 'k\t', '\tk', 'k\u00A0', 'k\u200B', 'k k', 'k  k'],
  ...[`k'`, `k''`, 'k"', 'k\\', 'k\\\\', `k'"\\%_`, 'k:', 'k:k'],
  // Patterns that match others.
  ...['k%', 'k_', 'k*', 'k?', '?', '.', '[kK]', '^k$'],
  // The first two look alike, one composed and one not; the last ones are a `k` for some.
  ...['Zo\u00EB', 'Zoe\u0308', 'Zoe', 'stra\u00DFe', 'strasse', '\u212A', '\uFF4B'],
  ...['1', '01', '1.0', '1e0'],
  // Every JavaScript object has these.
  ...['constructor', '__proto__', 'toString', 'hasOwnProperty'],
]
