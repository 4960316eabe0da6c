// Reports words that this project does not use, with what to write instead: `pnpm words`. It reads the files that git
// knows; a line that has to quote such a word ends in a comment with `words: quoted`.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The words, and what to write instead. They are also found in camelCase and snake_case names. */
const WORDS: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\bjudge[sd]?\b|\bjudging\b/i, 'validate, check'],
  [/\bdrafts?\b(?!-ietf)/i, 'PetInput, input'],
  [/\brefus(e|es|ed|ing|als?)\b/i, 'reject, is invalid, error response'],
  [/\banswer(s|ed|ing)?\b/i, 'response, respond, return, result'],
  [/\banimals?\b/i, 'pet'],
  [/\bfence[sd]?\b/i, 'dependency rule'],
  [/\bfaults? of ours\b/i, 'internal error'],
  [/\bkeeps? (its|their|the|every|a) (promise|contract)s?\b|\bkept when\b|\bpromise is kept\b/i, 'fulfils, resolves'],
  [/\bso many (milli)?seconds\b/i, 'a name with its unit, such as timeoutMs'],
  [/\bunless said otherwise\b/i, 'default: …'],
  [/\bfor good\b/i, 'permanently'],
  [/\blets? go of\b/i, 'releases'],
  [/\b(is|are|was|were|goes|went|gone) away\b/i, 'unavailable'],
  [/\bshoulders?\b/i, 'instrument'],
  [/\bslips? of the pen\b/i, 'typo'],
  [/\b(has|have) not the form of\b/i, 'is not a valid …'],
  [/\bcannot be gone on with\b|\bleave us alone\b/i, 'plain words'],
]

/** Quotations of others, and generated files. */
const EXCEPT = [
  /^tools\/check-words[.]/,
  /^(LICENSE|pnpm-lock[.]yaml)$|[.](svg|png)$|^docs\/openapi.*[.]json$|^packages\/contracts\/pacts\//,
  /^docs\/api\//,
]

/** The unwanted words in a text, line by line. */
export function findWords(text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.includes('words: quoted')) return []
    const words = line.replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, ' ')
    return WORDS.flatMap(([pattern, instead]) => {
      const word = pattern.exec(words)?.[0]
      return word === undefined ? [] : [`${index + 1}: "${word}": write ${instead}`]
    })
  })
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const names = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').slice(0, -1)
  const files =
    process.argv.length > 2 ? process.argv.slice(2) : names.filter((name) => !EXCEPT.some((one) => one.test(name)))
  const found = files.flatMap((file) =>
    findWords(readFileSync(join(root, file), 'utf8')).map((one) => `${file}:${one}`),
  )
  for (const one of found) console.error(one)
  if (found.length > 0) process.exitCode = 1
}
