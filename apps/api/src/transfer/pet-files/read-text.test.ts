import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pieces } from '../testing/entries.test-support.ts'
import { LINE_END, MAX_LINE_BYTES, readText } from './read-text.ts'

/** The lines of a file, without their ends. */
async function linesOf(content: string | Buffer, size = 7): Promise<readonly string[]> {
  let text = ''
  for await (const piece of readText(pieces(content, size))) {
    expect(piece).toMatch(/[\r\n]$/)
    text += piece
  }
  return text.split(LINE_END).slice(0, -1)
}

const expectUnreadable = async (content: string | Buffer, sentence: string) => {
  for (const size of [1, 2, 7, 65_536])
    await expect(linesOf(content, size)).rejects.toThrow(sentence)
}

describe('lines', () => {
  it('lines are the same for every size of pieces', async () => {
    const text = fc
      .array(fc.constantFrom('a', 'é', '🐕', '\n', '\r\n', '\r', '', '\u2028'))
      .map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (content, size) => {
        const lines = content.split(/\r\n|\n|\r/)
        if (lines.at(-1) === '') lines.pop()
        expect(await linesOf(content, size)).toEqual(lines)
      }),
    )
  })

  it.each([
    ['a cut character', Buffer.from('ok\nRex\xc3\n', 'latin1'), 2],
    ['a cut character at the end', Buffer.from('ok\nok\n\xf0\x9f', 'latin1'), 3],
    ['another encoding', Buffer.from('ok\nLéo,1\nok', 'latin1'), 2],
    ['a surrogate', Buffer.from('\xed\xa0\x80', 'latin1'), 1],
    ['UTF-16', Buffer.from('\ufeffname', 'utf16le'), 1],
  ])('lines that are not UTF-8 are reported by number: %s', async (_, content, line) => {
    await expectUnreadable(content, `Line ${line} is not UTF-8; save the file as UTF-8`)
  })

  it.each([
    ['a spreadsheet', 'PK\x03\x04\x14\0', 'a spreadsheet or a ZIP archive; save it as "CSV UTF-8"'],
    ['compressed text', '\x1f\x8b\x08\0', 'compressed; decompress it first'],
    ['a database', 'SQLite format 3\0\x10', 'an SQLite database; see pet-store copy --help'],
  ])('a file that is no text is named, whatever its name ends in: %s', async (_, start, kind) => {
    await expectUnreadable(Buffer.from(`${start}\nrest`, 'latin1'), `The file is ${kind}`)
  })

  it('lines begin without a byte order mark; later it is a character', async () => {
    for (const size of [1, 2, 3, 99]) {
      expect(await linesOf('\ufeffname\n', size)).toEqual(['name'])
      expect(await linesOf('\ufeff\ufeffa\n\ufeffb', size)).toEqual(['\ufeffa', '\ufeffb'])
      expect(await linesOf('\ufeff', size)).toEqual([''])
    }
  })

  it('lines are at most as long as a request body', async () => {
    const longest = 'é'.repeat(MAX_LINE_BYTES / 2)
    const content = `a\n${longest}\nb`
    expect(await linesOf(content, 65_536)).toEqual(['a', longest, 'b'])
    for (const size of [1_000, 65_536]) {
      await expect(linesOf(`a\n${longest}x\nb`, size)).rejects.toThrow(
        'Line 2 has more than 102,400 bytes.',
      )
      await expect(linesOf(`a\n${longest}x`, size)).rejects.toThrow(
        'Line 2 has more than 102,400 bytes.',
      )
    }
  })

  it('lines without an end are not read without limit', async () => {
    let read = 0
    async function* endless() {
      for (;;) {
        read += 1
        yield Buffer.alloc(10_000, 'a')
      }
    }
    await expect(readText(endless()).next()).rejects.toThrow('Line 1 has more than 102,400 bytes.')
    expect(read).toBe(11)
  })
})
