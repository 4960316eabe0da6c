import { type EntityCtor, type EntityName, EntitySchema } from '@mikro-orm/core'
import type { StoredApiKey } from '@pet-store/persistence'
import { ScopesType, TimeType } from './column-types.ts'

/** A row of API keys: what is absent is `null`. */
export type ApiKeyRow = {
  -readonly [Field in keyof StoredApiKey]-?: undefined extends StoredApiKey[Field]
    ? Exclude<StoredApiKey[Field], undefined> | null
    : StoredApiKey[Field]
} & { successor?: ApiKeyRow | null }

type ApiKeySchema = EntitySchema<ApiKeyRow, never, EntityCtor<ApiKeyRow>>

/**
 * The table of API keys: their hashes, never the keys. A successor refers to the key that it
 * replaces, so that a rotation is a single insert, and of several rotations of a key `unique` lets
 * only one succeed.
 */
export const ApiKeyEntity: ApiKeySchema = new EntitySchema<ApiKeyRow, never, EntityCtor<ApiKeyRow>>(
  {
    name: 'ApiKeyEntity',
    tableName: 'api_key',
    properties: {
      id: { type: 'text', primary: true },
      sha256: { type: 'text', unique: 'api_key_sha256' },
      name: { type: 'text' },
      // No check constraint: it would have to list every combination of scopes, and each new scope
      // would need a migration.
      scopes: { type: ScopesType, columnType: 'text' },
      createdAt: { type: TimeType },
      createdBy: { type: 'text', nullable: true },
      expiresAt: { type: TimeType, nullable: true },
      revokedAt: { type: TimeType, nullable: true },
      revokedBy: { type: 'text', nullable: true },
      lastUsedAt: { type: TimeType, nullable: true },
      // The id of the replaced key. No foreign key, because distributed engines do not allow it.
      replaces: {
        kind: '1:1',
        // With `mapToPk` the value is an id, but the types of MikroORM allow only rows.
        entity: () => ApiKeyEntity as unknown as EntityName<string>,
        owner: true,
        mapToPk: true,
        fieldName: 'replaces',
        unique: 'api_key_replaces',
        nullable: true,
        createForeignKeyConstraint: false,
      },
      // Until when the replaced key stays valid.
      overlapUntil: { type: TimeType, nullable: true },
      successor: { kind: '1:1', entity: () => ApiKeyEntity, mappedBy: 'replaces', nullable: true },
    },
  },
)
