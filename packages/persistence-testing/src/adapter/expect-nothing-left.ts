import assert from 'node:assert/strict'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { aTurnLater } from '../case/wait.ts'
import { descriptorCount, descriptorsLeft } from './descriptor-count.ts'

/** More than a pool has connections, and than an emitter may have listeners. */
export const CALL_TURNS = 16
/** What is opened once is open by then. */
const FIRST_TURNS = 3

/** Makes calls in each turn, and then those that it returns, which must reject. */
export async function expectNothingLeft(
  callAll: (turn: number) => Promise<Readonly<Record<string, () => Promise<unknown>>>>,
): Promise<void> {
  const warnings: string[] = []
  const onWarning = ({ name, message }: Error) => {
    if (name === 'MaxListenersExceededWarning') warnings.push(message)
  }
  process.on('warning', onWarning)
  try {
    let before = 0
    for (let turn = 0; turn < FIRST_TURNS + CALL_TURNS; turn += 1) {
      if (turn === FIRST_TURNS) before = descriptorCount()
      const rejected = await callAll(turn)
      for (const [name, call] of Object.entries(rejected))
        await expectRejection(call, `${name} must reject`)
    }
    // A warning comes a moment later.
    await aTurnLater()
    const left = await descriptorsLeft(before, CALL_TURNS / 2)
    assert.ok(
      left < CALL_TURNS / 2,
      `${CALL_TURNS} calls of each function must leave no file and no connection open, ` +
        `but left ${left}`,
    )
    expectEqual(warnings, [], 'the warnings of listeners that calls leave behind')
  } finally {
    process.off('warning', onWarning)
  }
}
