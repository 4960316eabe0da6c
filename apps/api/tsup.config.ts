import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/main.ts', 'src/index.ts'],
  format: 'esm',
  target: 'es2023',
  sourcemap: true,
  clean: true,
  // The program and its libraries are a thousand small files: a start would spend half of its time
  // on finding and reading them. The drivers stay packages: one has a compiled part, the other
  // loads a file of its own when it is needed.
  noExternal: [/^(?!(?:better-sqlite3|pg)$)/],
  // What is left of CommonJS requires modules of Node, and a file of the driver.
  banner: {
    js:
      "import { createRequire as requireFrom } from 'node:module'; " +
      'const require = requireFrom(import.meta.url);',
  },
})
