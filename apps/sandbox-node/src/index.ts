export { nodeConfigSchema, readNodeConfig } from './node-config.ts';
export type { LoadedNodeConfig, NodeConfig, NodeFlags } from './node-config.ts';
export { runNode } from './run-node.ts';
