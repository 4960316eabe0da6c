import http from 'node:http'
import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/main.ts', 'src/index.ts'],
  format: 'esm',
  target: 'es2023',
  sourcemap: true,
  clean: true,
  // The program and its libraries are a thousand small files: a start would spend half of its time on finding and reading
  // them. The drivers stay packages: one has a compiled part, and tracing changes the other while it is loaded.
  noExternal: [/^(?!(?:better-sqlite3|pg)$)/],
  // What is left of CommonJS requires modules of Node, and a file of the driver.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  esbuildOptions(options) {
    // Half as much to read and to hold. Names stay, for stack traces.
    options.minifyWhitespace = true
    options.minifySyntax = true
  },
  esbuildPlugins: [
    {
      name: 'without-unused-parts',
      // Express loads the first three for `express.json`, `res.type` and `req.query`; the service reads bodies and queries
      // itself. Their tables of encodings and of media types take a fifth of the time of a start. prom-client sends no metrics.
      setup: (build) => {
        const filter = /[\\/](?:body-parser[\\/]index|mime-db[\\/]index|qs[\\/]lib[\\/]index|lib[\\/]pushgateway)\.js$/
        build.onLoad({ filter }, () => ({ contents: '' }))
      },
    },
    {
      name: 'require-node-http',
      // An `import` of it reads all of its exports, among them `WebSocket`, for which Node loads a whole HTTP client: a
      // tenth of the time of a start, and 5 MiB.
      setup: (build) => {
        const namespace = 'required'
        const names = Object.keys(http).filter((name) => !/^(?:WebSocket|CloseEvent|MessageEvent)$/.test(name))
        const contents = `export const { ${names.join(', ')} } = require('node:http')`
        build.onResolve({ filter: /^(?:node:)?http$/ }, ({ kind }) =>
          kind === 'require-call' ? { path: 'node:http', external: true } : { path: 'http', namespace },
        )
        build.onLoad({ filter: /^/, namespace }, () => ({ contents }))
      },
    },
  ],
})
