export { runEngineContract } from './run-engine/run-engine-contract.ts';
export { serveRunEngine } from './run-engine/run-engine-process.ts';
export type { RunEngineContractOptions, RunEngineProgram, RunEngineSettings } from './run-engine/run-engine-suite.ts';
