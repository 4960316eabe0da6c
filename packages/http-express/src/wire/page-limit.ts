import { PAGE_LIMIT } from '@pet-store/domain'
import * as z from 'zod'
import { describedAs } from './described-as.ts'
import { parameterRule } from './invalid-input.ts'

const { min, max } = PAGE_LIMIT
const rule = parameterRule(`must be an integer from ${min} to ${max}`)

/**
 * The query parameter `limit`, the size of a page (interface document, section 8). A value that is
 * out of range is a 400, and is not clamped.
 */
export const limitParameter: z.ZodExactOptional<z.ZodType<number>> = describedAs(
  z
    .string({ error: rule })
    .refine((text) => /^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= max, { error: rule })
    .transform(Number)
    .exactOptional(),
  { type: 'integer', format: 'int32', minimum: min, maximum: max, default: PAGE_LIMIT.default },
  { description: 'The maximum number of pets to return.' },
)
