import { PET_FIELDS } from '@pet-store/domain'
import {
  IDEMPOTENCY_KEY_COLUMNS,
  NEW_PET_COLUMNS,
  type NewPetColumns,
  type SqlValue,
  type Statement,
} from '@pet-store/persistence-mikro-orm'
import { POSTGRES_DIALECT } from '../../database/dialect.ts'

const PET_TYPES = Object.values(PET_FIELDS).map(({ isInteger }) => (isInteger ? 'bigint' : 'text'))

/** One placeholder for each column of a new pet: `$1::text, $2::bigint` and so on. */
function petValues(first: number): string {
  return PET_TYPES.map((type, index) => `$${first + index}::${type}`).join(', ')
}

/** One array of values for each column of new pets: `$1::text[], $2::bigint[]` and so on. */
function petArrays(first: number): string {
  return PET_TYPES.map((type, index) => `$${first + index}::${type}[]`).join(', ')
}

/**
 * Makes a statement fail, so that nothing of it is stored, if it has added fewer pets than
 * `expected` selects, because a trigger of the operator leaves pets out. The server casts the text
 * only then, and its error has it. `columns` is the number of columns that the statement returns.
 */
function failIfLeftOut(expected: string, columns: number): string {
  const others = ', null::bigint'.repeat(columns - 1)
  return `
    union all
    select ('a trigger leaves pets out: ' || (expected.pets - counted.pets))::bigint${others}
    from (select count(*) as pets from added) as counted, (${expected}) as expected
    where counted.pets <> expected.pets`
}

/** Adds one pet. */
export const ADD: Statement<NewPetColumns, readonly [id: bigint]> = {
  name: 'pet_add',
  sql: `
    insert into pet (${NEW_PET_COLUMNS})
    values (${petValues(1)})
    returning id`,
}

/**
 * Adds many pets. Has one array for each column, so that the number of parameters does not grow
 * with the number of rows. The sequence assigns ids in the order of the rows, so the smallest id
 * belongs to the first row. The order in which the ids are returned is not guaranteed.
 */
export const ADD_MANY: Statement<readonly SqlValue[], readonly [id: bigint]> = {
  name: 'pet_add_many',
  sql: `
    with added as (
      insert into pet (${NEW_PET_COLUMNS})
      select ${NEW_PET_COLUMNS}
      from unnest(${petArrays(1)})
        with ordinality as given(${NEW_PET_COLUMNS}, position)
      order by position
      returning id
    )
    select id
    from added
    ${failIfLeftOut('select cardinality($1::text[]) as pets', 1)}`,
}

/**
 * Adds one pet, unless its idempotency key is taken. The key is inserted first: of several
 * concurrent calls, only the one whose insert succeeds adds a pet. The others conflict with the
 * primary key and store nothing.
 */
export const ADD_WITH_KEY: Statement<readonly SqlValue[], readonly [id: bigint]> = {
  name: 'pet_add_with_key',
  sql: `
    with claimed as (
      insert into idempotency_key (${IDEMPOTENCY_KEY_COLUMNS})
      values (
        $1, $2, $3,
        coalesce($4, ${POSTGRES_DIALECT.nowMs}),
        nextval(pg_get_serial_sequence('pet', 'id'))
      )
      on conflict (owner, key) do nothing
      returning pet_id
    ), added as (
      insert into pet (id, ${NEW_PET_COLUMNS})
      select pet_id, ${petValues(5)}
      from claimed
      returning id
    )
    select id
    from added
    ${failIfLeftOut('select count(*) as pets from claimed', 1)}`,
}

/**
 * The given pets with their keys and new ids, in the order of the arrays. The last value is the
 * `lock_timeout` of this statement, which limits its wait for a key.
 *
 * The sequence is found in a subquery, which is evaluated once and not for each row. That saves a
 * sixth of the server's time for the statement.
 */
const GIVEN = `
  given as materialized (
    select given.*, nextval((select pg_get_serial_sequence('pet', 'id')::regclass)) as pet_id
    from set_config('lock_timeout', $${PET_TYPES.length + 5}, true),
      unnest($1::text[], $2::text[], $3::text[], $4::bigint[], ${petArrays(5)})
        with ordinality
        as given(owner, key, fingerprint, created_at, ${NEW_PET_COLUMNS}, position)
    order by position
  )`

/** Inserts the given keys in their order, which all instances share, so that none deadlock. */
const INSERT_KEYS = `
  insert into idempotency_key (${IDEMPOTENCY_KEY_COLUMNS})
  select owner, key, fingerprint, coalesce(created_at, (select ${POSTGRES_DIALECT.nowMs})), pet_id
  from given
  order by position`

/**
 * Adds many pets with different new keys, and fails if one of them is taken. It does not look for
 * taken keys first, which saves a third of the server's time. The keys are inserted before the
 * pets, so that a statement that fails has done little work. As in `ADD_MANY`, the smallest id
 * belongs to the first pet.
 */
export const ADD_MANY_WITH_NEW_KEYS: Statement<readonly SqlValue[], readonly [id: bigint]> = {
  name: 'pet_add_many_with_new_keys',
  sql: `
    with ${GIVEN}, added as (
      insert into pet (id, ${NEW_PET_COLUMNS})
      select pet_id, ${NEW_PET_COLUMNS}
      from given
      returning id
    ), claimed as (
      ${INSERT_KEYS}
      returning pet_id
    )
    select pet_id
    from claimed
    ${failIfLeftOut('select cardinality($1::text[]) as pets', 1)}`,
}

/** Adds those of many pets whose keys are not taken, and returns the positions of their rows. */
export const ADD_MANY_WITH_KEYS: Statement<
  readonly SqlValue[],
  readonly [id: bigint, position: bigint]
> = {
  name: 'pet_add_many_with_keys',
  sql: `
    with ${GIVEN}, claimed as (
      ${INSERT_KEYS}
      on conflict (owner, key) do nothing
      returning pet_id
    ), stored as (
      select pet_id, position, ${NEW_PET_COLUMNS}
      from claimed join given using (pet_id)
    ), added as (
      insert into pet (id, ${NEW_PET_COLUMNS})
      select pet_id, ${NEW_PET_COLUMNS}
      from stored
      returning id
    )
    select pet_id, position
    from stored
    ${failIfLeftOut('select count(*) as pets from stored', 2)}`,
}

export const IS_VISIBLE = `
  select 1
  from pet
  where id = $1`

/** Waits for every transaction that has added a pet with this id, prepared ones included. */
export const USE_ID = `
  insert into pet (id, name, category_id)
  values ($1, '', 0)
  on conflict do nothing`

export const FREE_ID = `
  delete from pet
  where id = $1`
