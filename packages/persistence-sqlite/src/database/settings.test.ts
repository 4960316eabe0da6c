import { describe, expect, it } from 'vitest'
import { sqlitePath } from './settings.ts'

describe('SQLite URL', () => {
  it.each([
    ['sqlite:pets.db', 'pets.db'],
    ['sqlite:./data/pets.db', './data/pets.db'],
    ['sqlite:../pets.db', '../pets.db'],
    ['sqlite:/var/lib/pets.db', '/var/lib/pets.db'],
    ['sqlite:///var/lib/pets.db', '/var/lib/pets.db'],
    ['sqlite:./~/pets.db', './~/pets.db'],
    ['sqlite:C:\\pets.db', 'C:\\pets.db'],
    ['sqlite:my pets 100%.db', 'my pets 100%.db'],
    ['sqlite::memory:', ':memory:'],
  ])('the SQLite URL %s has the path %s', (url, path) => {
    expect(sqlitePath(url)).toBe(path)
  })

  it.each([
    ['', 'begin with "sqlite:"'],
    ['pets.db', 'begin with "sqlite:"'],
    ['file:pets.db', 'begin with "sqlite:"'],
    ['postgres://localhost/pets', 'begin with "sqlite:"'],
    ['sqlite:', 'name a file'],
    ['sqlite: ', 'name a file'],
    ['sqlite://pets.db', 'name a file, not a host'],
    ['sqlite::memory', 'name a file, or be "sqlite::memory:"'],
    ['sqlite:~/pets.db', 'have the path of the home folder in place of ~'],
    ['sqlite:pets.db?mode=ro', 'have no parameters'],
    ['sqlite:pets.db#1', 'have no # and no NUL in its path'],
    ['sqlite:pets\0.db', 'have no # and no NUL in its path'],
    ['sqlite:pets.db ', 'name a file without spaces around its path, and no URI'],
    ['sqlite:file:a.db', 'name a file without spaces around its path, and no URI'],
  ])('the SQLite URL %j is rejected: it must %s', (url, rule) => {
    const examples = '"sqlite:./data/pet-store.db" or "sqlite::memory:"'
    const sentence = `An SQLite URL must ${rule}, as in ${examples}; got ${JSON.stringify(url)}.`
    expect(() => sqlitePath(url)).toThrow(new TypeError(sentence))
  })
})
