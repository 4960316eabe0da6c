import { defineEntity, p } from '@mikro-orm/core'

/** The table of counted requests as MikroORM knows it: one row for each key, of its latest window. */
export const RequestCountRecord = defineEntity({
  name: 'RequestCountRecord',
  tableName: 'request_count',
  properties: {
    keyId: p.text().primary(),
    // Milliseconds since 1970.
    windowStart: p.bigint(),
    requests: p.bigint(),
  },
})
