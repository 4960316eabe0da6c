import type { TableDefinition } from '../sql/tables.ts'
import { UNSTORABLE } from '../unstorable.ts'

const STATUSES = ['available', 'pending', 'sold', null]

/** The tables of the adapter. A statement that names a column which is missing here fails. */
export const TABLES: Readonly<Record<string, TableDefinition>> = {
  pet: {
    columns: { id: 'int8', name: 'text', category_id: 'int8', status: 'text' },
    unique: [['id']],
    rejects({ name, category_id, status }) {
      if (name === null || category_id === null) return '23502'
      if (!STATUSES.includes(status as string | null)) return '23514'
      return String(name).includes(UNSTORABLE) ? '22P05' : undefined
    },
  },
  idempotency_key: {
    columns: {
      owner: 'text',
      key: 'text',
      fingerprint: 'text',
      pet_id: 'int8',
      created_at: 'int8',
    },
    unique: [['owner', 'key']],
    rejects: ({ fingerprint }) => (String(fingerprint).includes(UNSTORABLE) ? '22P05' : undefined),
  },
  api_key: {
    columns: {
      id: 'text',
      sha256: 'text',
      name: 'text',
      scopes: 'text',
      created_at: 'int8',
      created_by: 'text',
      expires_at: 'int8',
      revoked_at: 'int8',
      revoked_by: 'text',
      last_used_at: 'int8',
      replaces: 'text',
      overlap_until: 'int8',
    },
    unique: [['id'], ['sha256'], ['replaces']],
  },
  pet_import: {
    columns: { id: 'int8', sha256: 'text', state: 'text', lines: 'int8', changed_at: 'int8' },
    unique: [['id']],
  },
  request_count: {
    columns: { key_id: 'text', window_start: 'int8', requests: 'int8' },
    unique: [['key_id']],
  },
  migration: { columns: { id: 'int8', name: 'text', executed_at: 'text' }, unique: [['id']] },
}
