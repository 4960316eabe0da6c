import type { Server } from 'node:http'
import { createPetUseCases } from '@pet-store/domain'
import type { Storage } from '@pet-store/domain-testing'
import { type Clock, createPetApp, createPetServer, type HttpLog, type TokenCheck } from '@pet-store/http-express'
import type { Settings } from './settings.ts'
import { openStorage } from './storage.ts'

/** What the program is made of, besides its own parts. */
export interface Parts {
  readonly settings: Settings
  readonly tokenCheck: TokenCheck
  readonly log: HttpLog
  readonly now?: Clock
  /** Only where nobody else can reach the service. */
  readonly developmentKey?: string
}

/** The whole program. */
export interface Program {
  /** Answers requests once it listens. */
  readonly server: Server
  readonly storage: Storage
  /** Lets go of everything that `compose` opened; the server must have stopped. */
  close(): Promise<void>
}

/** Builds the whole program. Nothing listens yet. */
export async function compose({
  settings,
  tokenCheck,
  log,
  now = () => new Date(),
  developmentKey,
}: Parts): Promise<Program> {
  const storage = await openStorage(settings)
  const app = createPetApp({
    pets: createPetUseCases(storage.pets),
    tokenCheck,
    log,
    now,
    isReady: storage.check,
    developmentKey,
    publicUrl: settings.publicUrl,
    corsOrigins: settings.corsOrigins,
    trustProxy: settings.trustProxy,
  })
  return { server: createPetServer(app, log), storage, close: storage.close }
}
