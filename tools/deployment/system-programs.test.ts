// The programs that read the files of deploy/ check them, where they are installed.
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { ERROR_STATUS } from '../../packages/http-express/src/response/http-error.ts'
import { ROOT } from '../root.ts'
import { outputOf, textOf, yamlOf } from './deployment.test-support.ts'

it.for([
  ['promtool', 'check', 'config', 'deploy/prometheus/prometheus.yml'],
  ['amtool', 'check-config', 'deploy/prometheus/alertmanager.yml'],
  ['haproxy', '-c', '-q', '-f', 'deploy/haproxy/haproxy.cfg'],
  [
    'systemd-analyze',
    'verify',
    '--man=no',
    'deploy/systemd/pet-store-backup.timer',
    'deploy/systemd/pet-store-backup.service',
  ],
  [
    'promtool',
    'test',
    'rules',
    'deploy/prometheus/alerts.test.yml',
    'deploy/prometheus/alerts-over-days.test.yml',
  ],
  ['shellcheck', '.ci/run', ...globSync('deploy/**/*.sh', { cwd: ROOT })],
])('the command %s %s succeeds', (command, context) => {
  if (outputOf(command) === undefined) context.skip(`needs ${command[0]}`)
})

it('the PrometheusRule has the rules of alerts.yml', async () => {
  const { groups } = yamlOf<{ groups: unknown }>('deploy/prometheus/alerts.yml')
  const rule = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'pet-store', labels: { 'app.kubernetes.io/name': 'pet-store' } },
    spec: { groups },
  }
  const head =
    '# The rules of deploy/prometheus/alerts.yml, for the operator. A test writes this file:\n' +
    '# npx vitest run system-programs --update\n'
  const file = 'deploy/kubernetes/components/prometheus-operator/prometheus-rule.yaml'
  await expect(head + stringify(rule, { lineWidth: 100 })).toMatchFileSnapshot(join(ROOT, file))
})

it('nginx accepts its configuration', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'))
  const conf = join(folder, 'nginx.conf')
  // Its temporary folders too, which its packages create for root alone.
  const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ')
  const includes = ['pet-store', 'upstream-machine']
    .map((name) => `include "${join(ROOT, `deploy/nginx/${name}.conf`)}";`)
    .join(' ')
  writeFileSync(conf, `pid ${folder}/pid; events {} http { access_log off; ${bodies} ${includes} }`)
  const isInstalled =
    outputOf(['nginx', '-t', '-q', '-e', join(folder, 'log'), '-c', conf]) !== undefined
  rmSync(folder, { recursive: true })
  if (!isInstalled) context.skip('needs nginx')
})

it('the proxy sends the Error body in responses of its own', () => {
  const conf = textOf('deploy/nginx/pet-store.conf')
  const bodies = [...conf.matchAll(/^ {2}(\d+) '(.*)';$/gm)]
  for (const [, status, body = ''] of bodies) {
    const error = JSON.parse(body) as { readonly code: keyof typeof ERROR_STATUS }
    expect(error).toEqual({
      code: error.code,
      message: expect.any(String),
      status: Number(status),
    })
    expect(ERROR_STATUS[error.code]).toBe(Number(status))
  }
  const sent = [...conf.matchAll(/error_page ([\d ]+?) (?:=(\d+) )?\//g)].flatMap(
    ([, own = '', other]) => other ?? own.split(' '),
  )
  expect(bodies.map(([, status]) => status).sort()).toEqual(sent.sort())
})
