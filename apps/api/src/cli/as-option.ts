import { InvalidArgumentError } from 'commander'

/** Parses an option as a setting: the rule that its text breaks becomes commander's message. */
export function asOption<Value>(parse: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError(`It ${(error as Error).message}.`)
    }
  }
}
