import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'

/** What `node --cpu-prof` writes; only what is read here. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  /** The running node at each moment, and the microseconds since the moment before. */
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
  readonly startTime: number
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: {
    readonly functionName: string
    readonly url: string
    readonly lineNumber: number
    readonly columnNumber: number
  }
  readonly children?: readonly number[]
}

/** Parts of the busy time, the greatest first. */
export interface ProfileSummary {
  readonly packages: readonly Part[]
  readonly functions: readonly Part[]
}

export interface Part {
  readonly name: string
  /** From 0 to 1. */
  readonly part: number
}

const IDLE = '(idle)'

/** The same profile with the places in the sources, where a file has a source map: a bundle is all packages in one file. */
export function withSources(profile: CpuProfile): CpuProfile {
  const maps = new Map<string, SourceMap | undefined>()
  const nodes = profile.nodes.map((node) => {
    const { url, lineNumber, columnNumber } = node.callFrame
    if (!maps.has(url)) maps.set(url, sourceMapOf(url))
    const entry = maps.get(url)?.findEntry(lineNumber, columnNumber)
    if (entry === undefined || !('originalSource' in entry)) return node
    const source = { url: new URL(entry.originalSource, url).href, lineNumber: entry.originalLine }
    return { ...node, callFrame: { ...node.callFrame, ...source } }
  })
  return { ...profile, nodes }
}

function sourceMapOf(url: string): SourceMap | undefined {
  if (!url.startsWith('file:')) return undefined
  const file = new URL(`${url}.map`)
  return existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined
}

/** Adds up the time that each function spent in itself, by function and by package, from a moment on (µs). */
export function summarise({ nodes, samples, timeDeltas, startTime }: CpuProfile, from: number): ProfileSummary {
  const places = placesOf(nodes)
  const packages = new Map<string, number>()
  const functions = new Map<string, number>()
  let busy = 0
  let now = startTime
  for (const [index, id] of samples.entries()) {
    const time = timeDeltas[index + 1] ?? 0
    now += timeDeltas[index] ?? 0
    const place = places.get(id)
    if (place === undefined || place.name === IDLE || now < from) continue
    busy += time
    packages.set(place.package, (packages.get(place.package) ?? 0) + time)
    functions.set(place.name, (functions.get(place.name) ?? 0) + time)
  }
  return { packages: parts(packages, busy), functions: parts(functions, busy) }
}

function parts(times: ReadonlyMap<string, number>, whole: number): Part[] {
  return [...times].map(([name, time]) => ({ name, part: time / whole })).sort((one, other) => other.part - one.part)
}

interface Place {
  readonly name: string
  readonly package: string
}

/** Where each node of the tree is. Native code has no file; it is counted with the package that called it. */
function placesOf(nodes: readonly ProfileNode[]): Map<number, Place> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const places = new Map<number, Place>()
  for (const { id, callFrame } of nodes) {
    const { functionName, url, lineNumber } = callFrame
    if (functionName.startsWith('(') && url === '') {
      places.set(id, { name: functionName, package: functionName })
      continue
    }
    let caller: ProfileNode | undefined = byId.get(id)
    while (caller !== undefined && caller.callFrame.url === '') caller = byId.get(parents.get(caller.id) ?? 0)
    const owner = packageOf(caller?.callFrame.url ?? '')
    const line = url === '' ? 'native' : `${url.split('/').at(-1)}:${lineNumber + 1}`
    places.set(id, { name: `${functionName || '(anonymous)'} (${owner}, ${line})`, package: owner })
  }
  return places
}

/** The package that a file belongs to. */
export function packageOf(url: string): string {
  if (url.startsWith('node:')) return 'node'
  const external = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
  if (external !== undefined) return external
  const ours = /.*\/(?:packages|apps)\/([^/]+)\//.exec(url)?.[1]
  return ours === undefined ? 'native' : `@pet-store/${ours}`
}
