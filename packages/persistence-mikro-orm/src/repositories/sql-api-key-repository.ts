import type { ApiKey, ApiKeyRepository, KeyUse, NewApiKey } from '@pet-store/access'
import { apiKeyFromRow, toMilliseconds } from '../entities/api-key-mapping.ts'
import type { ApiKeyStatements, KeyValues } from '../statements/api-key-statements.ts'
import type { StatementRunner } from '../statements/statement-runner.ts'

/** API keys in a database that MikroORM knows, read and written by statements that it compiled. */
export class SqlApiKeyRepository implements ApiKeyRepository {
  readonly #add
  readonly #replace
  readonly #find
  readonly #findByHash
  readonly #list
  readonly #revoke
  readonly #markUsed

  constructor(statements: ApiKeyStatements, runner: StatementRunner) {
    this.#add = runner.write(statements.add)
    this.#replace = runner.tryWrite(statements.replace)
    this.#find = runner.readOne(statements.find, apiKeyFromRow)
    this.#findByHash = runner.readOne(statements.findByHash, apiKeyFromRow)
    this.#list = runner.readAll(statements.list, apiKeyFromRow)
    this.#revoke = runner.tryWrite(statements.revoke)
    this.#markUsed = runner.tryWrite(statements.markUsed)
  }

  async add(key: NewApiKey): Promise<void> {
    await this.#add(valuesOf(key))
  }

  async replace(id: string, successor: NewApiKey, until: Date): Promise<boolean> {
    const stored = await this.#replace([...valuesOf(successor), toMilliseconds(until), id])
    if (stored !== undefined) return true
    if ((await this.#find([id])) === undefined) throw new Error(`There is no key ${JSON.stringify(id)} to replace.`)
    return false
  }

  find(id: string): Promise<ApiKey | undefined> {
    return this.#find([id])
  }

  findByHash(sha256: string): Promise<ApiKey | undefined> {
    return this.#findByHash([sha256])
  }

  list(): Promise<readonly ApiKey[]> {
    return this.#list([])
  }

  async revoke(id: string, at: Date): Promise<boolean> {
    return (await this.#revoke([toMilliseconds(at), id])) !== undefined
  }

  async markUsed(uses: readonly KeyUse[]): Promise<void> {
    // All at once, so that the runner can write them in groups.
    await Promise.all(
      uses.map(({ id, at }) => {
        const time = toMilliseconds(at)
        return this.#markUsed([time, id, time])
      }),
    )
  }
}

function valuesOf({ id, sha256, name, scopes, createdAt, expiresAt }: NewApiKey): KeyValues {
  const ends = expiresAt === undefined ? null : toMilliseconds(expiresAt)
  return [id, sha256, name, scopes.join(' '), toMilliseconds(createdAt), ends]
}
