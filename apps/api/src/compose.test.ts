import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { compose } from './compose.ts'
import { NO_REPORTS } from './observability/reports.ts'
import { readSettings } from './settings/read-settings.ts'

it('composing leaves no database open when a later part cannot be made', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'compose-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const settings = readSettings({ DATABASE_URL: `sqlite:${join(folder, 'pets.db')}` })
  const key = { keyId: 'kiosk', sha256: '0'.repeat(64) }
  const staticKeys = [key, key]
  await expect(compose({ ...settings, staticKeys }, NO_REPORTS)).rejects.toThrow('kiosk')
  // SQLite removes its log when the last connection closes.
  expect(readdirSync(folder)).toEqual(['pets.db'])
})
