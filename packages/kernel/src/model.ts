export type { ModelError, ModelErrorCode, ModelEvent, ModelStopReason, ModelWarning } from './model/model-event.ts';
export type { ModelUsage } from './base/model-usage.ts';
export type { ModelCallOptions, ModelProvider } from './model/model-request.ts';
export type {
  ModelMessage,
  ModelOutput,
  ModelReasoning,
  ModelRequest,
  ModelSampling,
  ToolChoice,
} from './model/model-request.ts';
