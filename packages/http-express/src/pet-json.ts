import type { Pet } from '@pet-store/domain'
import fastJson, { type Schema } from 'fast-json-stringify'
import { createSchema } from 'zod-openapi'
import { petsSchema } from './pet-schema.ts'

// Compiled from the published schema: several times as fast as JSON.stringify with exact integers, since it writes a
// bigint as it is. It writes the listed fields and no others, so a new field is never published by accident.
const components = { schemas: createSchema(petsSchema).components }
const writerOf = (name: string) => fastJson({ $ref: `#/components/schemas/${name}`, components } as Schema)

/** A Pet as JSON text (interface document, section 2). A status that nobody gave is left out. */
export const petJson: (pet: Pet) => string = writerOf('Pet')

/** A list of pets as JSON text: a bare array. */
export const petsJson: (pets: readonly Pet[]) => string = writerOf('Pets')
