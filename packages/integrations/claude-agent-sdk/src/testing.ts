export { startScriptedModel } from './testing/scripted-model.ts';
export type { ScriptedCall, ScriptedModel, ScriptedRequest, ScriptedResponse } from './testing/scripted-model.ts';
