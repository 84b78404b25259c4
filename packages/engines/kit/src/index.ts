export {
  defaultMaxAttempts,
  engineDisposed,
  engineUnavailable,
  failureText,
  retryDelayMs,
  transactionUnsupported,
} from './failures.ts';
export { checkLimits, limitProperties } from './limits.ts';
export type { CommonEngineOptions } from './limits.ts';
export { checkInteger, checkName, checkWakes, mergeWakes } from './wakes.ts';
export type { CheckedWake } from './wakes.ts';
export { checkSignal, checkWorker, nextLook, notifyWorkers } from './workers.ts';
