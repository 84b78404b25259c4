export type {
  HookEvent,
  HookObserver,
  HookPayloads,
  HookScope,
  InterceptedCall,
  InterceptorDecision,
  ResultInterceptor,
  ResultPoint,
  ToolInterceptor,
} from './event/hooks.ts';
export type { ProgressEvent, ProgressSink } from './event/progress.ts';
