export { createFakeClock } from './fake-clock.ts';
export type { FakeClock } from './fake-clock.ts';
export { createMemoryLogger } from './memory-logger.ts';
export type { LogRecord, MemoryLogger } from './memory-logger.ts';
export { createRecordingHooks } from './recording-hooks.ts';
export type { HookSource, RecordedHook, RecordingHooks } from './recording-hooks.ts';
export { createScriptedModel } from './scripted-model.ts';
export type { ScriptedModel, ScriptedToolCall, ScriptedTurn } from './scripted-model.ts';
export type { ContractTest } from './test-runner.ts';
