import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/main.ts', 'src/index.ts', 'src/start-tracing.ts'],
  format: 'esm',
  target: 'es2023',
  sourcemap: true,
  clean: true,
  // The adapters with the ORM and its query builder are hundreds of small files; in a few large ones the program starts
  // in two thirds of the time, and the image needs no more of them. Their drivers stay packages: one has a compiled part,
  // and tracing changes the other while it is loaded.
  noExternal: [/^@pet-store\/persistence/, /^@mikro-orm\//, 'kysely'],
  external: ['better-sqlite3', 'pg'],
  // What is left of CommonJS in them requires a file of the driver.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
})
