import { type FindApiKeyByHash, PET_INSERT, type PetStatements } from '@pet-store/persistence-mikro-orm'

// What `compilePetStatements` and `compileFindApiKeyByHash` make of the entities, so that no start waits for MikroORM. The
// test beside this file compares them, and shows what to change here after a change of an entity.

export const PET_STATEMENTS: PetStatements = {
  add: {
    name: 'pet_add',
    sql: 'insert into "pet" ("name", "category_id", "status") values (?, ?, ?) returning "id"',
    isPositional: true,
    insert: PET_INSERT,
  },
  addWithKey: {
    name: 'pet_add_with_key',
    sql: 'with "taken" as (select "key" from "idempotency_key" where "owner" = ? and "key" = ?) insert into "pet" ("name", "category_id", "status") select ? as "name", ? as "categoryId", ? as "status" where not exists (select * from "taken") returning "id"',
    isPositional: true,
    next: {
      sql: 'insert into "idempotency_key" ("pet_id", "fingerprint", "created_at", "owner", "key") values (?, ?, ?, ?, ?)',
      end: 4,
      firstStart: 2,
    },
  },
  findKey: {
    name: 'idempotency_key_find',
    sql: 'select "known"."fingerprint", "known"."created_at", "known"."pet_id", "pet"."id", "pet"."name", "pet"."category_id", "pet"."status" from "idempotency_key" as "known" left join "pet" as "pet" on "pet"."id" = "known"."pet_id" where "known"."owner" = ? and "known"."key" = ?',
    isPositional: true,
  },
  deleteKey: {
    name: 'idempotency_key_delete',
    sql: 'delete from "idempotency_key" where "owner" = ? and "key" = ? and "pet_id" = ? returning "pet_id"',
    isPositional: true,
  },
  deleteOldKeys: {
    name: 'idempotency_key_delete_old',
    sql: 'delete from "idempotency_key" where ("owner", "key") in (select "owner", "key" from "idempotency_key" where "created_at" <= ? order by "created_at" limit ?) returning "pet_id"',
    isPositional: true,
  },
  find: {
    name: 'pet_find',
    sql: 'select "id", "name", "category_id", "status" from "pet" where "id" = ?',
    isPositional: true,
  },
  list: {
    name: 'pet_list',
    sql: 'select "id", "name", "category_id", "status" from "pet" order by "id" limit ?',
    isPositional: true,
  },
  listAfter: {
    name: 'pet_list_after',
    sql: 'select "id", "name", "category_id", "status" from "pet" where "id" > ? order by "id" limit ?',
    isPositional: true,
  },
  listWithStatus: {
    name: 'pet_list_with_status',
    sql: 'select "id", "name", "category_id", "status" from "pet" where "status" = ? order by "id" limit ?',
    isPositional: true,
  },
  listWithStatusAfter: {
    name: 'pet_list_with_status_after',
    sql: 'select "id", "name", "category_id", "status" from "pet" where "status" = ? and "id" > ? order by "id" limit ?',
    isPositional: true,
  },
}

export const FIND_API_KEY_BY_HASH: FindApiKeyByHash = {
  name: 'api_key_find_by_hash',
  sql: 'select "found"."id" as "id", "found"."name" as "name", "found"."scopes" as "scopes", "found"."created_at" as "createdAt", "found"."created_by" as "createdBy", "found"."expires_at" as "expiresAt", "found"."revoked_at" as "revokedAt", "found"."revoked_by" as "revokedBy", "found"."last_used_at" as "lastUsedAt", "successor"."id" as "replacedBy", "successor"."overlap_until" as "overlapUntil" from "api_key" as "found" left join "api_key" as "successor" on "successor"."replaces" = "found"."id" where "found"."sha256" = ?',
}
