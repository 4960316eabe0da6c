import { expect, it } from 'vitest'
import { PAGE_FILES } from './page-files.ts'

const texts = await Promise.all(PAGE_FILES.map(({ read }) => read()))

it.each(PAGE_FILES.map(({ name }, index) => [name, texts[index] ?? ''] as const))(
  'the file %s is complete, and leads to no file that is not served',
  (_name, text) => {
    expect(text.length).toBeGreaterThan(200)
    expect(text).not.toMatch(/sourceMappingURL|@import|(?:^|[;}\n])import\b/)
  },
)
