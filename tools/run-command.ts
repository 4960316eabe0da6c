import { execFile } from 'node:child_process'

/**
 * Resolves to the standard output of a command; rejects with everything that it printed if it
 * fails.
 */
export async function run(
  cwd: string,
  [command = '', ...args]: readonly string[],
  {
    input = '',
    env = process.env,
  }: { readonly input?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      args,
      { cwd, env, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout)
        else
          reject(
            new Error(
              `${[command, ...args].join(' ')} in ${cwd}: ${error.message}\n${stdout}${stderr}`,
            ),
          )
      },
    )
    // A command that does not read its input may end before it is written.
    child.stdin?.on('error', () => {}).end(input)
  })
}
