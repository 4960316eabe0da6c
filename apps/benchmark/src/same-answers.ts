import { createApiKeyText } from '@pet-store/access'
import { API_KEY } from './api-key.ts'
import { type Answer, ask, type PetRequest } from './ask.ts'
import type { Contestant } from './contestant.ts'
import { dataPet, petJson } from './data-set.ts'
import type { Operation, Question, Target } from './operations.ts'

const ADDED = 3

/**
 * Asks each question once and compares the answers byte for byte with the data set; adds a few pets; and expects
 * refusals where the work includes checks. Returns how many pets were added.
 */
export async function expectSameAnswers(
  contestant: Contestant,
  port: number,
  operations: readonly Operation[],
  target: Target,
): Promise<number> {
  for (const question of distinct(operations.flatMap((operation) => operation.questions(target)))) {
    await expectAnswer(contestant, port, question)
  }
  for (let id = target.size + 1; id <= target.size + ADDED; id += 1) {
    const { id: _id, ...pet } = dataPet(id, target.size + 1_000)
    const answer = petJson({ id, ...pet })
    const { id: _given, ...body } = JSON.parse(answer)
    await expectAnswer(contestant, port, {
      method: 'POST',
      path: '/v1/pets',
      body: JSON.stringify(body),
      status: 201,
      answer,
    })
  }
  await expectRefusals(contestant, port, target.size)
  return ADDED
}

/** Reads only, and each once: what adds is asked separately, since its answers differ each time. */
function distinct(questions: readonly Question[]): Question[] {
  const reads = questions.filter(({ method }) => method === 'GET')
  return [...new Map(reads.map((question) => [question.path, question])).values()]
}

async function expectAnswer(contestant: Contestant, port: number, question: Question): Promise<void> {
  const answer = await ask(port, question, API_KEY)
  if (answer.status !== question.status || answer.body !== question.answer) {
    throw wrongAnswer(contestant, question, `${question.status} ${question.answer}`, answer)
  }
}

async function expectRefusals(contestant: Contestant, port: number, size: number): Promise<void> {
  const list: PetRequest = { method: 'GET', path: '/v1/pets?limit=20' }
  const refusals: (readonly [request: PetRequest, key: string | undefined, status: number])[] = [
    [list, undefined, 401],
    [list, createApiKeyText(), 401],
    [{ method: 'GET', path: `/v1/pets/${size + 1_000_000}` }, API_KEY, 404],
  ]
  // A ceiling does nothing but the work, so it is not asked to judge.
  if (contestant.role !== 'ceiling') {
    refusals.push(
      [{ method: 'GET', path: '/v1/pets?limit=101' }, API_KEY, 400],
      [{ method: 'GET', path: '/v1/pets?status=lost' }, API_KEY, 400],
      [{ method: 'POST', path: '/v1/pets', body: '{"name":"Rex"}' }, API_KEY, 400],
      [{ method: 'POST', path: '/v1/pets', body: '{"name":"Rex","categoryId":"one"}' }, API_KEY, 400],
    )
  }
  for (const [request, key, status] of refusals) {
    const answer = await ask(port, request, key)
    if (answer.status !== status) throw wrongAnswer(contestant, request, String(status), answer)
  }
}

/** Stops the run: figures for other work mean nothing. */
function wrongAnswer(
  { name, database }: Contestant,
  { method, path }: PetRequest,
  expected: string,
  { status, body }: Answer,
): Error {
  const answers = `expected: ${expected}\nanswered: ${status} ${body}`
  return new Error(`${name} (${database}) gives a wrong answer to ${method} ${path}\n${answers}`)
}
