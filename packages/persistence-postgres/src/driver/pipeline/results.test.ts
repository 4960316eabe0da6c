import { EventEmitter } from 'node:events'
import type { Client, FieldDef } from 'pg'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { receiveResults, rowReader } from './results.ts'

const { INT4, INT8, TEXT } = pg.types.builtins
const field = (name: string, dataTypeID: number) => ({ name, dataTypeID }) as FieldDef

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

function row(...columns: (string | null)[]): Buffer {
  const parts = columns.map((column) => {
    const bytes = Buffer.from(column ?? '')
    const length = Buffer.alloc(4)
    length.writeInt32BE(column === null ? -1 : bytes.length)
    return Buffer.concat([length, bytes])
  })
  return Buffer.concat([Buffer.from([0, columns.length]), ...parts])
}

describe('A row', () => {
  it.each([
    '0',
    '-1',
    '999999999999999',
    '-99999999999999',
    '1000000000000000',
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
  ])('a row with the 64-bit integer %s has it exactly', (text) => {
    expect(rowReader([field('id', INT8)])(row(text), 0)).toEqual([BigInt(text)])
  })

  it('a row is a list of its columns, with null for one that is absent', () => {
    const fields = [
      field('id', INT8),
      field('name', TEXT),
      field('limit', INT4),
      field('status', TEXT),
    ]
    const bytes = row('7', 'Żółw 🦁', '20', null)
    expect(rowReader(fields)(bytes, 0)).toEqual([7n, 'Żółw 🦁', 20, null])
  })
})

/** Receives these chunks; returns the rows, events and bytes for the driver, in order. */
function receive(chunks: readonly Buffer[]) {
  const received: unknown[] = []
  const stream = Object.assign(new EventEmitter(), {
    destroy: (error: Error) => received.push(error.message),
  })
  stream.on('data', (bytes: Buffer) => received.push(bytes.toString('latin1')))
  const readRow = rowReader([field('name', TEXT)])
  receiveResults({ connection: { stream } } as unknown as Client, {
    onRow: (bytes, start) => received.push(readRow(bytes, start)),
    onComplete: () => received.push('complete'),
    onReady: () => received.push('ready'),
  })
  for (const chunk of chunks) stream.emit('data', chunk)
  return received
}

describe('Messages of the server', () => {
  const notice = message('N', Buffer.from('slow'))
  const ready = message('Z', Buffer.from('I'))
  const bytes = Buffer.concat([
    message('2', Buffer.alloc(0)),
    message('D', row('Rex')),
    notice,
    message('D', row('Löwe')),
    message('C', Buffer.from('SELECT 2\0')),
    ready,
  ])
  const expected = [
    ['Rex'],
    notice.toString('latin1'),
    ['Löwe'],
    'complete',
    ready.toString('latin1'),
    'ready',
  ]

  it('messages of the server are received whole and in order, however they are cut', () => {
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(receive([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(expected)
    }
    expect(receive(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(expected)
  })

  it('receiveResults rejects a driver that reads messages in another way', () => {
    const client = { connection: { stream: new EventEmitter() } } as unknown as Client
    expect(() => receiveResults(client, { onRow() {}, onComplete() {}, onReady() {} })).toThrow(
      'pipelined reads do not work with this version of pg',
    )
  })

  it('messages of the server that cannot be read close the connection', () => {
    expect(receive([message('D', Buffer.from([0]))])).toEqual([
      expect.stringContaining('out of range'),
    ])
  })
})
