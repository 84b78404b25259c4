import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, Span, SpanOptions, Tracer } from '@opentelemetry/api';
import type { EventScope } from '@ravi/kernel';

/** Key of a span: its subject, by the ids that hooks carry. */
export type SpanKey = string;

/** Returns the key of an agent run. */
export const runKey = (runId: string): SpanKey => `run ${runId}`;
/** Returns the key of the current step of a run. */
export const stepKey = (runId: string): SpanKey => `step ${runId}`;
/** Returns the key of the current model call of a run. */
export const modelCallKey = (runId: string): SpanKey => `model-call ${runId}`;
/** Returns the key of a tool call; call ids are unique within a run. */
export const callKey = (runId: string, callId = ''): SpanKey => `call ${runId} ${callId}`;
/** Returns the key of the script of a call, or of a run that is only a script. */
export const chainKey = ({ runId, parentId = '' }: EventScope): SpanKey => `chain ${runId} ${parentId}`;

/** Final attributes of a span. */
export interface SpanEnd {
  readonly attributes?: Attributes;
  /** Value of `error.type` for a failure. */
  readonly errorType?: string | undefined;
}

/** Open spans by key. */
export interface SpanTree {
  /** Starts a span as a child of the first open one of `parents`, or else of the active span. */
  open(key: SpanKey, name: string, options: SpanOptions & { readonly parents: readonly SpanKey[] }): void;
  get(key: SpanKey): Span | undefined;
  /** Ends the span with this key, if it is open, and returns its duration in seconds. */
  close(key: SpanKey, ending?: SpanEnd): number | undefined;
  closeAll(): void;
}

interface OpenSpan {
  readonly span: Span;
  readonly started: number;
}

/** Creates an empty tree whose spans come from `tracer`. */
export function createSpanTree(tracer: Tracer): SpanTree {
  const spans = new Map<SpanKey, OpenSpan>();

  function contextBelow(parents: readonly SpanKey[]): Context {
    const active = context.active();
    for (const key of parents) {
      const parent = spans.get(key);
      if (parent !== undefined) return trace.setSpan(active, parent.span);
    }
    return active;
  }

  const tree: SpanTree = {
    open(key, name, { parents, ...options }) {
      // Otherwise a span left open by a failed observer would never end.
      tree.close(key);
      const span = tracer.startSpan(name, options, contextBelow(parents));
      spans.set(key, { span, started: performance.now() });
    },
    get: (key) => spans.get(key)?.span,
    close(key, { attributes = {}, errorType } = {}) {
      const open = spans.get(key);
      if (open === undefined) return undefined;
      spans.delete(key);
      open.span.setAttributes(attributes);
      if (errorType !== undefined) {
        open.span.setAttribute('error.type', errorType);
        open.span.setStatus({ code: SpanStatusCode.ERROR, message: errorType });
      }
      open.span.end();
      return (performance.now() - open.started) / 1_000;
    },
    closeAll() {
      for (const key of spans.keys()) tree.close(key);
    },
  };
  return tree;
}
