import { type Command, Option } from 'commander'

/** Options that several commands have. */
export function jsonOption(): Option {
  return new Option('--json', 'print one JSON value, for scripts')
}

export function byOption(): Option {
  return new Option('--by <name>', 'who does it, for keys list and the log (default: the user of the operating system)')
}

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

/** What people type, by command. Each has at least one; help.e2e.test.ts checks their options. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  start: ['start', 'PORT=3001 DATABASE_URL=sqlite:./other.db pet-store start'],
  serve: [
    'serve',
    'DATABASE_URL=postgres://user:password@host/database pet-store serve',
    'LOG_LEVEL=warn pet-store serve',
  ],
  doctor: ['doctor', 'doctor --json'],
  migrate: ['migrate --check', 'migrate'],
  config: ['config', 'config --json'],
  openapi: ['openapi > openapi.json'],
  completion: [
    'completion bash > ~/.local/share/bash-completion/completions/pet-store',
    'completion zsh >> ~/.zshrc',
    'completion fish > ~/.config/fish/completions/pet-store.fish',
  ],
  import: [
    'import pets.csv',
    'import pets.csv --on-error skip --report rejected.txt',
    'import - --format ndjson < pets.ndjson',
  ],
  export: ['export > pets.ndjson', 'export --status sold --output sold.csv'],
  seed: ['seed --count 1000', 'seed --count 1000 --seed 7'],
  copy: ['copy --from sqlite:./data/pet-store.db --to postgres://user:password@host/database'],
  backup: ['backup backup.db'],
  restore: ['restore backup.db'],
  'keys create': ['keys create --name kiosk', 'keys create --name kiosk --scope pets:read --expires 90d --by ada'],
  'keys list': ['keys list', 'keys list --json'],
  'keys rotate': ['keys rotate key_0123456789abcdef --overlap 24h'],
  'keys revoke': ['keys revoke key_0123456789abcdef', 'keys revoke pets_…   (the leaked key itself)'],
}

/** Ends the help of every command with its examples. */
export function addExamples(program: Command, path = ''): void {
  for (const command of program.commands) {
    const name = `${path} ${command.name()}`.trim()
    const lines = EXAMPLES[name]?.map((line) => (line.startsWith(name) ? `  pet-store ${line}` : `  ${line}`))
    if (lines !== undefined) command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
    addExamples(command, name)
  }
}
