import { expect, it } from 'vitest'
import { textTable } from './text-table.ts'

it('A table has aligned columns, and no spaces at the ends of lines', () => {
  expect(
    textTable([
      ['ID', 'NAME', 'USED'],
      ['key_1', '🐾', 'never'],
      ['k', 'kiosk', ''],
    ]),
  ).toBe('ID     NAME   USED\nkey_1  🐾      never\nk      kiosk\n')
})
