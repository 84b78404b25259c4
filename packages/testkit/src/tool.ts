export { toolContract } from './tool/tool-contract.ts';
export type { ToolContractOptions } from './tool/tool-contract.ts';
