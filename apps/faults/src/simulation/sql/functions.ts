import { StatementError, type Value } from './values.ts'

/** What statements ask of the server beside its tables. */
export interface ServerState {
  /** Milliseconds since 1970, by the clock of the server. */
  now(): number
  nextId(): bigint
  /** The last id that was assigned; `null` for none. */
  lastId(): Value
  moveIds(last: bigint): void
  /** Where the log ends. */
  logPosition(): number
  /** Up to where a replica has replayed it; `undefined` on a primary. */
  replayed(): number | undefined
  hasTable(name: string): boolean
  readonly databaseName: string
  readonly systemIdentifier: bigint
  /** Puts rows for which no order is asked into any order. */
  anyOrder<Item>(items: readonly Item[]): readonly Item[]
  random(): number
  /** A setting of the transaction. */
  set(name: string, value: string): void
}

/** No simulated standby is promoted. */
export const TIMELINE = 1

interface ServerFunction {
  /** The type of its result; `undefined`: that of its parameters. */
  readonly type: string | undefined
  readonly run: (state: ServerState, parameters: readonly Value[]) => Value
}

const SETTINGS: Readonly<Record<string, string>> = {
  server_encoding: 'UTF8',
}

/** The functions that our statements call, without aggregates. */
export const FUNCTIONS: Readonly<Record<string, ServerFunction>> = {
  current_database: { type: 'text', run: ({ databaseName }) => databaseName },
  current_setting: { type: 'text', run: (state, [name]) => settingOf(state, String(name)) },
  to_regclass: {
    type: 'text',
    run: ({ hasTable }, [name]) => (hasTable(String(name)) ? String(name) : null),
  },
  now: { type: 'timestamptz', run: ({ now }) => now() },
  epoch: { type: 'numeric', run: (_, [time]) => (time === null ? null : Number(time) / 1000) },
  coalesce: { type: undefined, run: (_, values) => values.find((value) => value !== null) ?? null },
  cardinality: { type: 'int4', run: (_, [list]) => BigInt((list as readonly Value[]).length) },
  pg_get_serial_sequence: { type: 'text', run: () => 'public.pet_id_seq' },
  nextval: { type: 'int8', run: ({ nextId }) => nextId() },
  pg_sequence_last_value: { type: 'int8', run: ({ lastId }) => lastId() },
  setval: {
    type: 'int8',
    run({ moveIds }, [, id]) {
      moveIds(BigInt(String(id)))
      return id as Value
    },
  },
  set_config: {
    type: 'text',
    run({ set }, [name, value]) {
      set(String(name), String(value))
      return value ?? null
    },
  },
  current_schema: { type: 'text', run: () => 'public' },
  has_schema_privilege: { type: 'bool', run: () => true },
  has_table_privilege: { type: 'bool', run: () => true },
  row_security_active: { type: 'bool', run: () => false },
  has_sequence_privilege: { type: 'bool', run: () => true },
  pg_is_in_recovery: { type: 'bool', run: ({ replayed }) => replayed() !== undefined },
  pg_last_wal_replay_lsn: {
    type: 'pg_lsn',
    run({ replayed }) {
      const position = replayed()
      return position === undefined ? null : BigInt(position)
    },
  },
  pg_current_wal_insert_lsn: { type: 'pg_lsn', run: positionOfPrimary },
  pg_walfile_name: {
    type: 'text',
    run: () => TIMELINE.toString(16).toUpperCase().padStart(8, '0').padEnd(24, '0'),
  },
  exists: { type: 'bool', run: (_, [found]) => found !== null },
}

function positionOfPrimary({ replayed, logPosition }: ServerState): Value {
  if (replayed() !== undefined) throw new StatementError('55000', 'recovery is in progress')
  return BigInt(logPosition())
}

/** The settings that are on if the server is a standby. */
const STANDBY_SETTINGS = ['transaction_read_only', 'in_hot_standby']

function settingOf(state: ServerState, name: string): Value {
  if (STANDBY_SETTINGS.includes(name)) return state.replayed() === undefined ? 'off' : 'on'
  const value = SETTINGS[name]
  if (value === undefined) throw new Error(`The simulated server has no setting ${name}.`)
  return value
}
