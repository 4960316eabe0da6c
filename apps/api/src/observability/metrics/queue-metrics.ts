import { Gauge, type Registry } from 'prom-client'

/** How many requests or statements wait in a queue, and how many may, if that is known. */
export interface QueueUse {
  readonly name: string
  readonly waiting: number
  readonly limit?: number | undefined
}

/**
 * Shows every queue as it is when the metrics are read. Returns a function that adds queues to
 * those that are shown.
 */
export function showQueues(registry: Registry): (queues: () => readonly QueueUse[]) => void {
  const sources: (() => readonly QueueUse[])[] = []
  const all = () => sources.flatMap((queues) => queues())
  new Gauge({
    name: 'pet_store_queue_waiting',
    help: 'What waits: requests for a slot, and statements of each database by its name.',
    labelNames: ['queue'],
    registers: [registry],
    collect() {
      for (const { name: queue, waiting } of all()) this.set({ queue }, waiting)
    },
  })
  new Gauge({
    name: 'pet_store_queue_limit',
    help: 'How much may wait in a queue.',
    labelNames: ['queue'],
    registers: [registry],
    collect() {
      for (const { name: queue, limit } of all())
        if (limit !== undefined) this.set({ queue }, limit)
    },
  })
  return (queues) => sources.push(queues)
}
