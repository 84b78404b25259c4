export type {
  ModelError,
  ModelErrorCode,
  ModelEvent,
  ModelStopReason,
  ModelUsage,
  ModelWarning,
} from './model/model-event.ts';
export type { ModelCallOptions, ModelProvider } from './model/model-request.ts';
export type {
  ModelMessage,
  ModelOutput,
  ModelReasoning,
  ModelRequest,
  ModelSampling,
  ToolChoice,
} from './model/model-request.ts';
