import type { Command } from 'commander'

export type Shell = 'bash' | 'zsh' | 'fish'

/** A command as a completion needs it; the path of `pet-store keys create` is `keys create`. */
interface Entry {
  readonly path: string
  readonly description: string
  /** The commands below it, or the values of its first argument. */
  readonly words: readonly string[]
  readonly options: readonly {
    readonly flag: string
    readonly description: string
    readonly choices?: readonly string[]
  }[]
}

/**
 * A script that completes commands, options and their values in a shell; paths are left to the shell. It is complete in
 * itself: libraries for this start Node on every press of Tab.
 */
export function completionScript(program: Command, shell: Shell): string {
  const entries = entriesOf(program)
  if (shell === 'fish') return fishScript(entries)
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${bashScript(entries)}` : bashScript(entries)
}

function entriesOf(command: Command, path = ''): readonly Entry[] {
  const { commands, registeredArguments } = command
  const own: Entry = {
    path,
    description: command.description(),
    words: [...commands.map((one) => one.name()), ...(registeredArguments[0]?.argChoices ?? [])],
    options: [...command.options, { long: '--help', description: 'show help' }].map(
      ({ long, description, ...option }) => ({
        flag: long ?? '',
        description,
        ...('argChoices' in option && option.argChoices && { choices: option.argChoices }),
      }),
    ),
  }
  return [own, ...commands.flatMap((one) => entriesOf(one, `${path} ${one.name()}`.trim()))]
}

function bashScript(entries: readonly Entry[]): string {
  const paths = entries.slice(1).map(({ path }) => `'${path}'`)
  const values = entries.flatMap(({ path, options }) =>
    options.flatMap(({ flag, choices }) =>
      choices === undefined ? [] : [`    '${path} ${flag}') values='${choices.join(' ')}' ;;`],
    ),
  )
  const words = entries.map(
    ({ path, words, options }) =>
      `      '${path}') [[ $current == -* ]] && values='${options.map(({ flag }) => flag).join(' ')}' || values='${words.join(' ')}' ;;`,
  )
  return `_pet_store() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path= values= index
  for ((index = 1; index < COMP_CWORD; index += 1)); do
    case "\${path:+$path }\${COMP_WORDS[index]}" in
      ${paths.join(' | ')}) path="\${path:+$path }\${COMP_WORDS[index]}" ;;
    esac
  done
  case "$path $previous" in
${values.join('\n')}
    *) case "$path" in
${words.join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$values" -- "$current"))
}
complete -o default -F _pet_store pet-store
`
}

function fishScript(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ path, words, options }) => {
    const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
    const here = path === '' ? ['__fish_use_subcommand'] : seen
    const unless = words.length > 0 && path !== '' ? [`not __fish_seen_subcommand_from ${words.join(' ')}`] : []
    const isHere = (conditions: readonly string[]) => `-n '${conditions.join('; and ')}'`
    return [
      ...words.map((word) => {
        const description = entries.find((one) => one.path === `${path} ${word}`.trim())?.description ?? ''
        return `complete -c pet-store -f ${isHere([...here, ...unless])} -a ${word} -d ${quoted(description)}`
      }),
      ...options.map(({ flag, description, choices }) => {
        const values = choices === undefined ? '' : ` -x -a '${choices.join(' ')}'`
        return `complete -c pet-store ${isHere(here)} -l ${flag.slice(2)}${values} -d ${quoted(description)}`
      }),
    ]
  })
  return `${lines.join('\n')}\n`
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}
