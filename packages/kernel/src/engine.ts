export type { DeadWake, EngineFigures, EngineGroupFigures } from './engine/engine-figures.ts';
export type {
  EngineSupport,
  RunEngine,
  RunSignal,
  RunWake,
  RunWakeReason,
  RunWorker,
  WakeOptions,
  WakeOutcome,
} from './engine/run-engine.ts';
export type { RunWakes, StateTransaction, WakeSink, WorkableRun } from './engine/state-transaction.ts';
