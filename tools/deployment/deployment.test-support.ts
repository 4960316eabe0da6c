import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { ROOT } from '../root.ts'

/** The text of a file of the repository. */
export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** A YAML file of the repository, with its anchors and merges resolved. */
export function yamlOf<T>(file: string): T {
  return parse(textOf(file), { merge: true }) as T
}

/** One variable of a container. */
export interface Variable {
  readonly name: string
  readonly value?: string
}

/** What the tests read of a Kubernetes object. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly spec: {
    readonly selector: Readonly<Record<string, string>> & { readonly matchLabels: object }
    readonly ports: readonly { readonly targetPort: string }[]
    readonly template: {
      readonly metadata: Readonly<
        Record<'labels' | 'annotations', Readonly<Record<string, string>>>
      >
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly securityContext: object
        readonly containers: readonly [Container]
        readonly initContainers: readonly [Container]
      }
    }
  }
}

interface Container
  extends Readonly<
    Record<`${'startup' | 'liveness' | 'readiness'}Probe`, { readonly httpGet: object }>
  > {
  readonly image: string
  readonly env: readonly Variable[]
  readonly volumeMounts: readonly { readonly mountPath: string }[]
  readonly ports: readonly object[]
  readonly securityContext: object
}

/**
 * Every Kubernetes object of the base, the overlays and the components, before an overlay changes
 * it.
 */
export function manifests(): readonly Manifest[] {
  return globSync(`deploy/kubernetes/**/*.yaml`, { cwd: ROOT })
    .flatMap((file) =>
      parseAllDocuments(textOf(file)).map((document) => document.toJS() as Manifest),
    )
    .filter(({ kind }) => !['Kustomization', 'Component'].includes(kind))
}

/** The types of what operators add to Kubernetes. */
const MODELS: Readonly<Record<string, string>> = {
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
}

/**
 * The compiler's errors for Kubernetes objects, one line each. The published schemas allow unknown
 * fields, so a misspelled one would pass; the types do not.
 */
export function kubernetesErrors(
  objects: readonly { readonly apiVersion: string; readonly kind: string }[],
): string[] {
  const lines = objects.map(({ apiVersion, kind }, index) => {
    const [group = ''] = apiVersion.split('/')
    const type = `import('${MODELS[group] ?? 'kubernetes-models'}/${apiVersion}').I${kind}`
    return `export const object${index}: ${type} = ${JSON.stringify(objects[index])}`
  })
  const folder = mkdtempSync(join(tmpdir(), 'manifests-'))
  // So that the compiler finds the types.
  symlinkSync(join(ROOT, 'tools/node_modules'), join(folder, 'node_modules'))
  const file = join(folder, 'manifests.ts')
  writeFileSync(file, lines.join('\n'))
  const compiler = join(ROOT, 'node_modules/@typescript/native/bin/tsc')
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--types',
    '',
    '--module',
    'nodenext',
  ]
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, ...options, file], {
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  if (status !== 0 && stdout === '') throw new Error(stderr)
  return stdout.trim().split('\n').filter(Boolean)
}

/** What a program of the system prints; `undefined` if it is not installed. Throws if it fails. */
export function outputOf([command = '', ...args]: readonly string[]): string | undefined {
  const { error, status, stdout, stderr } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (error !== undefined) return undefined
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}
