import { Option } from 'commander'

/** Options that several commands have. */
export function jsonOption(): Option {
  return new Option('--json', 'print one JSON value, for scripts')
}

export function byOption(): Option {
  return new Option('--by <name>', 'who does it, for keys list and the log (default: the user of the operating system)')
}
