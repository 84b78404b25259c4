export type { Guardrail, GuardrailCheck } from './plugin/guardrail.ts';
export type { HistoryView, HistoryViewOptions } from './plugin/history-view.ts';
export type { Interceptor, ReplacedResult } from './plugin/interceptor.ts';
export type { AgentRunContext, RunMiddleware } from './plugin/run-middleware.ts';
export type { TriggerAccess, TriggerRequest, TriggerTimes } from './plugin/trigger-access.ts';
export { definePlugin } from './plugin/plugin.ts';
export type { Plugin, PluginContext, PortName, Ports } from './plugin/plugin.ts';
