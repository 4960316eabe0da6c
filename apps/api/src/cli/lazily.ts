type Commands<Name extends string> = Readonly<Record<Name, (...given: never) => void | Promise<void>>>

/** A command that is loaded when it runs, so that no command waits for what only others need. */
export function lazily<Name extends string, Module extends Commands<Name>>(
  load: () => Promise<Module>,
  name: Name,
): (...given: Parameters<Module[Name]>) => Promise<void> {
  return async (...given) => {
    const module = await load()
    await module[name](...(given as never))
  }
}
