import { z } from 'zod'
import { STATUSES } from './pet.ts'

export const petQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  status: z.enum(STATUSES).optional(),
  after: z.coerce.number().int().optional(),
})

export const petParams = z.object({ id: z.coerce.number().int() })

export const newPet = z.object({
  name: z.string().min(1).max(1000),
  categoryId: z.number().int(),
  status: z.enum(STATUSES).optional(),
})
