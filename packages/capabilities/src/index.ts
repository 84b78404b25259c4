export { createFolderToolSource } from './catalog/folder-tool-source.ts';
export type { FolderToolSourceOptions } from './catalog/folder-tool-source.ts';
export { chainToolStubs, createToolChainTool } from './chain/chain-tool.ts';
export type { ToolChainToolOptions } from './chain/chain-tool.ts';
export { runChain } from './chain/run-chain.ts';
export type { ChainRunOptions } from './chain/run-chain.ts';
export type { DescribedTool, StubProblem, ToolStubs } from './chain/stubs/tool-stubs.ts';
export { toolStubs } from './chain/stubs/tool-stubs.ts';
export { createDiscoveryTools } from './discovery/discovery-tools.ts';
