export {
  type FaultyProxy,
  type FaultyProxyOptions,
  type NetworkFault,
  openFaultyProxy,
} from './faulty-proxy.ts'
export { LoadConnection } from './load-connection.ts'
export {
  type OpenLoopOptions,
  type OpenLoopResult,
  type Outcome,
  runOpenLoop,
} from './open-loop.ts'
export { printOpenLoop, runOpenLoopInOwnProcess } from './open-loop-process.ts'
export {
  type ProgramOptions,
  type RunningProgram,
  startProgram,
  waitForOutput,
  waitForResponse,
} from './program.ts'
export { MemorySocket, PERFECT_LINK, type Chunk, type NetworkLink } from './memory-socket.ts'
export { quantile } from './quantile.ts'
export { createRandom, type Random } from './random.ts'
export { ask, RawConnection } from './raw-connection.ts'
export { temporaryFolder } from './temporary-folder.ts'
export { until } from './until.ts'
export {
  type RawResponse,
  readResponse,
  requestBytes,
  type WireRequest,
  type WireResponse,
  wireResponse,
} from './wire.ts'
