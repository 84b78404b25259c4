export { runChain } from './chain/run-chain.ts';
export type { ChainRunOptions } from './chain/run-chain.ts';
export { createScriptCompiler } from './chain/source/script-compiler.ts';
export type { ScriptCompiler, ScriptCompilerOptions } from './chain/source/script-compiler.ts';
