import { spawnSync } from 'node:child_process'

/** What a broker knows a state of this repository by. */
export interface GitVersion {
  readonly commit: string
  readonly branch: string
}

/** `GIT_COMMIT` and `GIT_BRANCH` where they are set, as CI does, else what git says. Throws where neither knows. */
export function gitVersion(environment: NodeJS.ProcessEnv = process.env): GitVersion {
  const commit = environment['GIT_COMMIT'] || git('rev-parse', 'HEAD')
  const branch = environment['GIT_BRANCH'] || git('branch', '--show-current')
  if (commit && branch) return { commit, branch }
  throw new RangeError('git names no commit and branch here: set GIT_COMMIT and GIT_BRANCH.')
}

function git(...args: readonly string[]): string {
  const { stdout } = spawnSync('git', args, { encoding: 'utf8', cwd: import.meta.dirname })
  return (stdout ?? '').trim()
}
