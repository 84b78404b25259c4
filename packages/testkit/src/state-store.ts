export { stateStoreContract } from './state-store/state-store-contract.ts';
export { serveStateStoreRaces } from './state-store/state-store-races.ts';
export type { StateRecord, StateStoreContractOptions, StateStoreProgram } from './state-store/state-store-suite.ts';
