import type { Random, WireResponse } from '@pet-store/testing'
import { nextPathOf } from '../../../harness/next-path.ts'
import { pickPage } from '../intended-pets.ts'
import { petsIn, type StoredPet, type WorldLedger } from '../world-ledger.ts'
import type { HttpClient, Sending } from './http-client.ts'
import { ReadCheck } from './read-check.ts'

/** What sends a request and follows it. */
interface Sender {
  randomClient(): HttpClient
  send(client: HttpClient, sending: Sending, what: string): Promise<WireResponse | undefined>
}

/** Reads pets, and checks what is returned. */
export class Reads {
  readonly #sender: Sender
  readonly #random: Random
  readonly #ledger: WorldLedger
  readonly #check: ReadCheck

  constructor(sender: Sender, random: Random, ledger: WorldLedger) {
    this.#sender = sender
    this.#random = random
    this.#ledger = ledger
    this.#check = new ReadCheck(ledger)
  }

  async get(client = this.#sender.randomClient()): Promise<void> {
    const known = this.#ledger.acknowledged
    const intended = known.length === 0 ? undefined : this.#random.pick(known)
    const [id = '999999999'] = intended?.ids ?? []
    const response = await this.#sender.send(client, { path: `/v1/pets/${id}` }, `get ${id}`)
    this.#check.checkGet(id, intended, response)
  }

  async readAtOnce(): Promise<void> {
    const count = this.#random.integer(2, 10)
    const client = this.#sender.randomClient()
    await Promise.all(
      Array.from({ length: count }, () =>
        this.#random.next() < 0.6 ? this.get(client) : this.list(client),
      ),
    )
  }

  /** One page, from the beginning. */
  async list(client = this.#sender.randomClient()): Promise<WireResponse | undefined> {
    const { path, limit, status } = pickPage(this.#random)
    const before = this.#ledger.acknowledgedOrImported
    const response = await this.#sender.send(client, { path }, `list ${path}`)
    if (response?.status !== 200) return this.#check.checkFailure(path, response)
    const pets = petsIn(response.text)
    this.#check.checkPage(path, pets, limit, status)
    const hasNext = response.headers['link'] !== undefined
    if (!hasNext) this.#check.checkWholeList(path, pets, before, status)
    else if (pets.length !== limit)
      this.#ledger.violate(`${path}: ${pets.length} pets, and a next page`)
    return response
  }

  /** Reads every page by following the links. */
  async listAll(client = this.#sender.randomClient(), key?: string): Promise<boolean> {
    const { path: first, limit, status } = pickPage(this.#random)
    const before = this.#ledger.acknowledgedOrImported
    const pets: StoredPet[] = []
    let path: string | undefined = first
    while (path !== undefined) {
      const response: WireResponse | undefined = await this.#sender.send(
        client,
        { path, key },
        `list ${path}`,
      )
      if (response?.status !== 200) {
        this.#check.checkFailure(path, response)
        return false
      }
      const page = petsIn(response.text)
      if (page.length === 0 && path !== first)
        this.#ledger.violate(`${path}: an empty page after a link`)
      this.#check.checkPage(path, page, limit, status)
      pets.push(...page)
      if (pets.length > this.#ledger.intendedPets.size) {
        this.#ledger.violate(`${path}: more pets than were ever intended`)
        return false
      }
      path = nextPathOf(response, path)
    }
    this.#check.checkWholeList(first, pets, before, status)
    return true
  }
}
