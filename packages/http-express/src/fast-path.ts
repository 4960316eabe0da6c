import type { RequestListener } from 'node:http'
import type { ErrorHandler, Handler, HandlerRequest, HandlerResponse } from './handler.ts'
import type { Operation } from './operation.ts'
import { BASE, enterOperation } from './operation-router.ts'
import type { OperationSteps } from './operation-steps.ts'
import { OPERATIONS, type Operations } from './operations.ts'

/**
 * Runs the steps of an operation without asking Express which they are: the same functions in the same order, found by
 * one pattern each. Express takes everything else, such as other methods, other paths, and percent-encoded ones.
 *
 * Express's search and its own request and response objects take more CPU time than any of the steps
 * (docs/decisions/0033-hot-path.md).
 */
export function fastPath(steps: OperationSteps, express: RequestListener): RequestListener {
  const ways = Object.keys(OPERATIONS).map((name) => wayOf(name as keyof Operations, steps))
  return (req, res) => {
    for (const { method, path, names, handlers } of ways) {
      if (method !== req.method) continue
      const found = path.exec(req.url ?? '')
      if (found === null) continue
      const params = parametersOf(found, names)
      run(handlers, Object.assign(req, { params }) as HandlerRequest, res as HandlerResponse, steps.answerError)
      return
    }
    express(req, res)
  }
}

const PARAMETER = /\{(\w+)\}/g

/** One operation: how it is recognised, and its steps. */
interface Way {
  readonly method: string
  readonly path: RegExp
  /** Those of the parameters in the path, in the order of its groups. */
  readonly names: readonly string[]
  readonly handlers: readonly Handler[]
}

function wayOf(name: keyof Operations, { open, admit, limit, operations, deprecation }: OperationSteps): Way {
  const { method, path }: Operation = OPERATIONS[name]
  const pattern = path.replace(PARAMETER, '([\\w-]+)')
  return {
    method: method.toUpperCase(),
    path: new RegExp(`^${BASE}${pattern}(?:\\?|$)`),
    names: Array.from(path.matchAll(PARAMETER), ([, name = '']) => name),
    handlers: [open, ...admit, enterOperation(path, deprecation), ...limit, operations[name] as Handler],
  }
}

/** An ordinary object: the one that named groups would give is slow to make. */
function parametersOf(found: RegExpExecArray, names: readonly string[]): Record<string, string> {
  const parameters: Record<string, string> = {}
  for (const [index, name] of names.entries()) parameters[name] = found[index + 1] ?? ''
  return parameters
}

/** Calls each handler when the one before it says so; whatever one of them throws or rejects with is answered. */
function run(handlers: readonly Handler[], req: HandlerRequest, res: HandlerResponse, answerError: ErrorHandler): void {
  let turn = 0
  const fail = (error: unknown): void => answerError(error, req, res, next)
  function next(): void {
    const handler = handlers[turn]
    turn += 1
    try {
      handler?.(req, res, next)?.catch(fail)
    } catch (error) {
      fail(error)
    }
  }
  next()
}
