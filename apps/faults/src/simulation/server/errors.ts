import type { Random } from '@pet-store/testing'
import type { ErrorFields } from '@pet-store/testing-postgres'

/** The words for an error, the end of a session and the end of the server, by language. */
const SEVERITIES = [
  ['ERROR', 'FATAL', 'PANIC'],
  ['ОШИБКА', 'ВАЖНО', 'ПАНИКА'],
  ['FEHLER', 'FATAL', 'PANIK'],
  ['错误', '致命错误', '比致命错误还过分的错误'],
  ['ERREUR', 'FATAL', 'PANIC'],
  ['ERROR', 'FATAL', 'PÁNICO'],
  ['エラー', '致命的エラー', 'パニック'],
  ['오류', '치명적오류', '손상'],
  ['BŁĄD', 'KATASTROFALNY', 'PANIKA'],
  ['HATA', 'ÖLÜMCÜL (FATAL)', 'KRİTİK'],
  ['FEL', 'FATALT', 'PANIK'],
  ['ERRORE', 'FATALE', 'PANICO'],
] as const

/** The words of one language. */
export interface Severities {
  readonly error: string
  readonly fatal: string
  readonly panic: string
}

export function severitiesOf(random: Random): Severities {
  const isEnglish = random.next() < 0.4
  const [error, fatal, panic] = isEnglish ? SEVERITIES[0] : random.pick(SEVERITIES)
  return { error, fatal, panic }
}

/** After these, whatever the severity, nothing is stored. */
const NEVER_STORED = ['40001', '40P01', '22P02', '22003', '23505', '23514', '2200H']

const STATEMENT_CODES = [
  ...NEVER_STORED,
  ...['40001', '40001', '57014', '53100', '53200', '53300', '55P03', '25006', 'XX000', '58030'],
  ...['42501', '0A000', '26000', '08006', '57P01', '54000', '42P01', '55000', 'P0001'],
]

const SESSION_CODES = [
  ...['57P01', '57P02', '57P03', '53300', '53100', '53200', 'XX000', '58030', '08006'],
  ...['25P03', '57P05', '28000', '0A000', '42501'],
]

const SERVER_CODES = ['53100', 'XX000', '58030', 'XX001', '53200', '57P02']

/** An error of a statement: nothing that it did is stored. */
export function statementError(random: Random, { error }: Severities): ErrorFields {
  return { severity: error, code: random.pick(STATEMENT_CODES), message: 'simulated' }
}

/** The end of a session, or of the whole server. The commit may be stored. */
export function sessionError(random: Random, { fatal, panic }: Severities): ErrorFields {
  const isPanic = random.next() < 0.4
  const code = random.pick(isPanic ? SERVER_CODES : SESSION_CODES)
  return { severity: isPanic ? panic : fatal, code, message: 'simulated' }
}
