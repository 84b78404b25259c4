export type {
  HookEvent,
  HookEventType,
  HookObserver,
  InterceptedArtifact,
  InterceptedCall,
  InterceptorDecision,
  ResultInterceptor,
  ResultPoint,
  ToolInterceptor,
} from './event/hooks.ts';
export type {
  EventScope,
  ProgressEvent,
  ProgressSink,
  Question,
  RunEvent,
  RunEventOf,
  RunEventPayloads,
  RunEventType,
} from './event/run-event.ts';
