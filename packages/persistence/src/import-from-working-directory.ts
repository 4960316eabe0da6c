import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Imports a package, or a path that begins with `.` or `/`, from the working directory instead of
 * this file. Packages are found by the rules of `import`: `require.resolve` does not find those
 * that are ES modules only.
 */
export async function importFromWorkingDirectory(
  name: string,
): Promise<Readonly<Record<string, unknown>>> {
  const wanted = specifierOf(name)
  const parentURL = pathToFileURL(resolve('package.json')).href
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, specifier === wanted ? { ...context, parentURL } : context),
  })
  try {
    return await import(wanted)
  } finally {
    hooks.deregister()
  }
}

/** What `import` takes to load a package or a path from the working directory. */
export function specifierOf(name: string): string {
  return /^[./]/.test(name) ? pathToFileURL(resolve(name)).href : name
}
