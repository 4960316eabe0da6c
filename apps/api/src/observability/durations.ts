/** One value of a metric, as prom-client writes it. */
export interface MetricValue {
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
  /** Where it is not the name of the metric itself. */
  readonly metricName?: string
}

/** The upper ends of the buckets in seconds, from what is remembered to what the settings let time out. */
const ENDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** How many of some spans of time fell into which bucket. Noting one allocates nothing. */
export class Durations {
  readonly #counts = new Float64Array(ENDS.length + 1)
  #sum = 0

  note(milliseconds: number): void {
    const seconds = milliseconds / 1000
    let bucket = 0
    while (bucket < ENDS.length && seconds > (ENDS[bucket] as number)) bucket += 1
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#sum += seconds
  }

  /** As a Prometheus histogram, whose buckets count everything up to their ends. */
  values(name: string, labels: MetricValue['labels']): readonly MetricValue[] {
    let count = 0
    const buckets = [...this.#counts].map((own, index) => {
      count += own
      return { labels: { ...labels, le: ENDS[index] ?? '+Inf' }, value: count, metricName: `${name}_bucket` }
    })
    return [
      ...buckets,
      { labels, value: this.#sum, metricName: `${name}_sum` },
      { labels, value: count, metricName: `${name}_count` },
    ]
  }
}
