import type { ReadinessCheck } from '@pet-store/http-express'
import { Gauge, type Registry } from 'prom-client'

/**
 * Adds a metric of whether each check of readiness passes. Every scrape runs the checks, so an
 * outage is noticed even if nothing else requests `/readyz`, or a load balancer sends no requests
 * meanwhile.
 */
export function addReadinessMetrics(registry: Registry, readiness: ReadinessCheck): void {
  new Gauge({
    name: 'pet_store_ready',
    help: 'Whether a check of readiness passes: 1 or 0.',
    labelNames: ['check'],
    registers: [registry],
    async collect() {
      for (const [check, state] of Object.entries(await readiness()))
        this.set({ check }, state === 'ok' ? 1 : 0)
    },
  })
}
