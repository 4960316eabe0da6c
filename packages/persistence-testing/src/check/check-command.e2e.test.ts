import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { check, folder, startCheck } from '../testing/check-process.test-support.ts'
import type { AdapterReport } from './adapter-report.ts'

/** Of what comes at once on an idle machine. */
const WITHIN = { timeout: 60_000 }

const STUB = `
  const no = () => { throw new Error('not implemented') }
  const pets = new Proxy({}, { get: () => no })
  const apiKeys = new Proxy({}, { get: () => no })
  export const capabilities = {
    severalProcesses: true, sharedLimits: true, bulkAccess: false, replicas: false,
  }
  export default async () =>
    ({ pets, apiKeys, createRateLimiter: no, check: no, close: async () => {} })`

/** The file adapter, whose find does something else for five ids. */
const BROKEN_FIND = `
  import open from '$file'
  const faults = new Map([
    // As an endless loop, without its CPU time.
    [1n, () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)],
    [2n, () => new Promise(() => setImmediate(() => { throw new Error('not caught') }))],
    [5n, () => new Promise(() => {})],
    [0n, () => process.exit(3)],
    [-3n, () => { throw new Error('too small') }],
  ])
  export default async (options) => {
    const { pets, ...opened } = await open(options)
    const own = { find: (id) => faults.get(id)?.() ?? pets.find(id) }
    return { ...opened, pets: new Proxy(pets, { get: (_, name) => own[name] ?? pets[name] }) }
  }`

/** The file adapter, of which something fails when its case has ended. */
const LATE = `
  import open from '$file'
  const fail = (message) => { throw new Error(message) }
  const failure = new Error('nobody waits')
  export default async (options) => {
    const { close, ...opened } = await open(options)
    return {
      ...opened,
      async close() {
        await close()
        setTimeout(() => setImmediate(() => setImmediate(fail, 'nobody catches')))
        Promise.reject(failure)
      },
    }
  }`

/**
 * A harness that notes while it is in use; its databases, but for the very first one, wait until
 * `ready` harnesses are, and those of the first one so long that another would begin.
 */
const noted = (concurrent: boolean, ready: number) => `
  import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
  const folder = '${folder}/in-use-${ready}'
  const isFirst = !existsSync(folder)
  mkdirSync(folder, { recursive: true })
  export default () => {
    const inUse = readdirSync(folder)
    if (inUse.length >= ${ready} && ${!concurrent}) throw new Error('Another harness is in use.')
    writeFileSync(folder + '/' + process.pid, '')
    let isLookedAt = isFirst
    const begun = new Promise((go) => setTimeout(go, isFirst ? 2_000 : 0))
    return {
      concurrent: ${concurrent},
      open: async () => { throw new Error('no database') },
      async emptyDatabase() {
        if (isLookedAt) return (isLookedAt = false) || ''
        await begun
        while (readdirSync(folder).length < ${ready}) await new Promise((go) => setTimeout(go, 5))
        return ''
      },
      close: () => void (${concurrent} || rmSync(folder + '/' + process.pid)),
    }
  }`

describe.concurrent('pet-store-adapter check', () => {
  it.each([
    ['one group of cases after the other', false, 1],
    ['groups beside each other where their harnesses may be', true, 2],
  ])('pet-store-adapter check runs %s', async (_, isConcurrent, ready) => {
    const name = `${isConcurrent}.mjs`
    writeFileSync(join(folder, name), noted(isConcurrent, ready))
    const { stdout } = await check('', `check --harness ${name} --only persistence. --json`)
    const { guarantees, stopped } = JSON.parse(stdout) as AdapterReport
    expect(new Set(guarantees.map(({ capability }) => capability)).size).toBeGreaterThan(5)
    expect(guarantees.filter(({ reason }) => reason?.includes('did not end'))).toEqual([])
    expect(stopped).toBeUndefined()
  })

  it('pet-store-adapter check passes the example, whose harness moves its file', async () => {
    const { stdout, exitCode } = await check(
      '',
      'check --harness $example --only persistence.reopen --json',
    )
    const { guarantees } = JSON.parse(stdout) as AdapterReport
    expect(new Set(guarantees.map(({ result }) => result))).toEqual(
      new Set(['passed', 'not tested']),
    )
    expect(exitCode).toBe(0)
  })

  it('pet-store-adapter check makes more and other random calls when it is told to', async () => {
    const adds = async (options: string) => {
      const log = join(folder, `${options.replaceAll(/\W/g, '')}.log`)
      const code = `
      import { appendFileSync } from 'node:fs'
      import open from '$file'
      export default async (options) => {
        const { pets, ...opened } = await open(options)
        const add = (pet, options) => {
          appendFileSync('${log}', JSON.stringify(pet.name) + '\\n')
          return pets.add(pet, options)
        }
        const get = (_, name) => (name === 'add' ? add : pets[name])
        return { ...opened, pets: new Proxy(pets, { get }) }
      }`
      const given = `check $module --url file:${folder}/{name} --only persistence.sequence.pets`
      expect((await check(code, `${given} ${options}`)).exitCode).toBe(0)
      return readFileSync(log, 'utf8').split('\n')
    }
    const [usual, more, other] = await Promise.all([
      adds('--json'),
      adds('--json --random-calls 2'),
      adds('--json --seed 7'),
    ])
    expect(more.length).toBeGreaterThan(usual.length)
    expect(more.slice(0, usual.length - 1)).toEqual(usual.slice(0, -1))
    expect(other).not.toEqual(usual)
  })

  it('pet-store-adapter check hides what functions throw, and says which and where', async () => {
    const { stdout, exitCode } = await check(STUB, 'check $module --url x')
    expect(stdout).toMatch(/^CAPABILITY +PASSED +NOT TESTED +FAILED +TIME\npets +0 +0 +\d+/)
    expect(stdout).toMatch(
      /\n {2}pets\.add\(\{ name: 'Rex'.* failed with:\n {2}Error: not implemented\n {6}at .*:2:/,
    )
    expect(stdout).toMatch(
      /\nContract [\d.]+: 0 guarantees passed, \d+ not tested, \d+ failed, in [\d.]+ s\.\n$/,
    )
    expect(exitCode).toBe(1)
  })

  it('pet-store-adapter check runs the cases of --only, but for those of --skip', async () => {
    const { stdout, exitCode } = await check(
      STUB,
      'check $module --url x --only pet.page --only pet.find --skip pet.find.e --skip pet.page.',
    )
    expect(stdout).toMatch(/^pets +0 +8 +3 /m)
    expect(stdout).toContain('\nNot tested: 8 because --skip says so\n')
    expect(exitCode).toBe(1)
  })

  it('pet-store-adapter check names each case that loops, hangs, exits or throws', async () => {
    const { stdout, exitCode } = await check(BROKEN_FIND)
    // A limit is longer on a busy machine.
    const printed = stdout.replaceAll(/did not end within \d+ ms/g, 'did not end in time')
    for (const reason of [
      'finds each pet by its own id (pet.find.each)\n' +
        '  The case did not end in time.\n  This call has not ended: pets.find(5n)',
      'was added (pet.find.looked-for-before)\n  Error: not caught\n',
      'find.empty)\n  The process did not end in time and did not respond, as in an endless loop',
      'ids that no pet has (pet.find.unknown)\n' +
        '  The process ended in the middle of the case, with code 3.\n' +
        '  It ended in this call: pets.find(0n)\n',
      'a known one (pet.find.similar)\n  pets.find(-3n) failed with:\n  Error: too small\n',
    ]) {
      expect(printed).toContain(reason)
    }
    expect(stdout).toMatch(/^pets +0 +0 +5 /m)
    expect(exitCode).toBe(1)
  })

  it('pet-store-adapter check stops when many cases hang, and prints what it has', async () => {
    const { stdout, exitCode } = await check(
      'export default () => new Promise(() => {})',
      `check $module --url {name} --time-limit 0.1 --json`,
    )
    const { guarantees, stopped } = JSON.parse(stdout) as AdapterReport
    const failed = guarantees.filter(({ result }) => result === 'failed')
    expect(failed).toHaveLength(5)
    expect(failed[0]?.reason).toMatch(/This call has not ended: open\(/)
    expect(stopped).toContain('5 cases did not end')
    expect(exitCode).toBe(1)
  })

  it('pet-store-adapter check prints what it has when it is interrupted', async () => {
    const child = startCheck(BROKEN_FIND, `check $module --url file:${folder}/{name} --all`)
    child.stderr.once('data', () => child.kill('SIGINT'))
    const [stdout, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'close')])
    expect(stdout).toMatch(/^RESULT +TIME +ID +GUARANTEE\n/)
    expect(stdout).toContain('Stopped: interrupted.')
    expect(exitCode).toBe(1)
  })

  it('pet-store-adapter check ends when nobody reads its output', async () => {
    const child = startCheck(STUB, 'check $module --url x --reporter tap')
    child.stdout.once('data', () => child.stdout.destroy())
    const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect(stderr.split('\n').slice(-2)).toEqual([
      'The output could not be written: write EPIPE',
      '',
    ])
    expect(exitCode).toBe(1)
  })

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'pet-store-adapter check closes the harness after %s',
    async (signal) => {
      const note = (name: string) =>
        `writeFileSync('${folder}/' + process.pid + '.${signal}-${name}', '')`
      const code = `
      import { writeFileSync } from 'node:fs'
      export default () => ({
        open: () => new Promise(() => ${note('open')}),
        emptyDatabase: async () => '',
        // It takes longer than a process that runs cases is silent.
        async close() {
          await new Promise((go) => setTimeout(go, 1_500))
          ${note('closed')}
        },
      })`
      writeFileSync(join(folder, `${signal}.mjs`), code)
      const child = startCheck('', `check --harness ${signal}.mjs`)
      const until = (end: string) =>
        vi.waitUntil(() => readdirSync(folder).some((name) => name.endsWith(end)), WITHIN)
      await until(`${signal}-open`)
      child.kill(signal)
      await until(`${signal}-closed`)
    },
  )

  it('pet-store-adapter check finds what fails after the end of its case', async () => {
    const { stdout, exitCode } = await check(LATE)
    expect(stdout).toMatch(/^pets +[1-9]\d* +0 +0 /m)
    for (const message of ['nobody waits', 'nobody catches'])
      expect(
        stdout.match(new RegExp(`that has caused it:\n {2}Error: ${message}\n`, 'g')),
      ).toHaveLength(1)
    expect(exitCode).toBe(1)
  })

  it("pet-store-adapter check ends with a module's error before the first case", async () => {
    const { stderr, exitCode } = await check(`Promise.reject(new Error('nobody waits'));${STUB}`)
    expect(stderr).toContain('Error: nobody waits')
    expect(exitCode).toBe(1)
  })

  it.each([
    [
      'check $module --url x --time-limit soon',
      '--time-limit must be a number of seconds, got "soon".',
    ],
    [
      'check $module --url x --random-calls 0',
      '--random-calls must be an integer from 1 to 1000, got "0".',
    ],
    [
      'check $module --url x --seed 1e3',
      '--seed must be an integer of at most nine digits, got "1e3".',
    ],
    [
      'check $module --url x --only pet.add --skip nothing',
      'The id of no case begins with "nothing". Begin with one of pet.fields, pet.add, ',
    ],
    ['', 'Usage: pet-store-adapter check'],
  ])('pet-store-adapter check ends with 2 on wrong use: %s', async (options, message) => {
    const { stderr, exitCode } = await check(STUB, options)
    expect(stderr).toContain(message)
    expect(exitCode).toBe(2)
  })

  it('pet-store-adapter check says which Node it needs', async () => {
    const name = join(folder, 'old-node.mjs')
    writeFileSync(name, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })")
    const { stderr, exitCode } = await check(
      STUB,
      'check $module --url x',
      `--import ${pathToFileURL(name).href}`,
    )
    expect(stderr).toBe(
      'pet-store-adapter needs Node 22.18, 24.11, or 26 and newer; this is Node 20.20.2.\n',
    )
    expect(exitCode).toBe(2)
  })
})
