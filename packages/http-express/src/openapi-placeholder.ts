import { Router } from 'express'
import { sendJson } from './send-json.ts'

const int64 = { type: 'integer', format: 'int64' }
const status = { type: 'string', enum: ['available', 'pending', 'sold'] }
const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: { name: { type: 'string' }, categoryId: int64, status },
}
const pet = { ...newPet, required: ['id', 'name', 'categoryId'], properties: { id: int64, ...newPet.properties } }
const error = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: { code: { type: 'string' }, message: { type: 'string' }, status: { type: 'integer' } },
}
const json = (name: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } })
const refused = { description: 'Missing or invalid API key.', content: json('Error') }

/** A stand-in for the generated description, until it is there: just enough for the reference page. */
const DESCRIPTION = {
  openapi: '3.1.0',
  info: { title: 'Pet Store', version: '1.0.0', description: "The store's animals: list, add and fetch them." },
  servers: [{ url: '/v1' }],
  security: [{ bearerAuth: [] }],
  tags: [{ name: 'pets', description: "The store's animals" }],
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        summary: 'List animals',
        tags: ['pets'],
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
          { name: 'status', in: 'query', schema: { $ref: '#/components/schemas/PetStatus' } },
        ],
        responses: { 200: { description: 'A page of animals.', content: json('Pets') }, 401: refused },
      },
      post: {
        operationId: 'createPet',
        summary: 'Add an animal',
        tags: ['pets'],
        parameters: [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 255 } }],
        requestBody: { required: true, content: json('NewPet') },
        responses: {
          201: { description: 'The animal, with its id.', content: json('Pet') },
          400: { description: 'Missing fields or invalid values.', content: json('Error') },
          401: refused,
        },
      },
    },
    '/pets/{petId}': {
      get: {
        operationId: 'getPet',
        summary: 'Get an animal',
        deprecated: true,
        tags: ['pets'],
        parameters: [{ name: 'petId', in: 'path', required: true, schema: int64 }],
        responses: {
          200: { description: 'The animal.', content: json('Pet') },
          401: refused,
          404: { description: 'No such animal.', content: json('Error') },
        },
      },
    },
  },
  components: {
    securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } },
    schemas: { PetStatus: status, NewPet: newPet, Pet: pet, Pets: { type: 'array', items: pet }, Error: error },
  },
}

export function placeholderDescription(): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.get('/openapi.json', (_req, res) => sendJson(res, 200, JSON.stringify(DESCRIPTION)))
  return router
}
