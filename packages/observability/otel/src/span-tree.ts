import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, Span, SpanOptions, Tracer } from '@opentelemetry/api';
import type { HookScope } from '@ravi/kernel';

/** Where a span stands: what it is of, by the ids that hooks carry. */
export type Place = string;

/** Keys of spans. Ids of calls are unique within a run, and a session has at most one script at a time. */
export const placeOfRun = (runId: string): Place => `run ${runId}`;
export const placeOfStep = (runId: string): Place => `step ${runId}`;
export const placeOfAnswer = (runId: string): Place => `answer ${runId}`;
export const placeOfCall = (runId: string, callId = ''): Place => `call ${runId} ${callId}`;
export const placeOfChain = ({ runId, parentId = '' }: HookScope): Place => `chain ${runId} ${parentId}`;

/** How something ended. */
export interface Ending {
  readonly attributes?: Attributes;
  /** Why it failed, as `error.type`. */
  readonly errorType?: string | undefined;
}

/** The spans that are open. */
export interface SpanTree {
  /** Begins a span below the first of `parents` that is open, else below the active one. */
  open(place: Place, name: string, options: SpanOptions & { readonly parents: readonly Place[] }): void;
  get(place: Place): Span | undefined;
  /** Ends the span there, if any; gives how long it took in seconds. */
  close(place: Place, ending?: Ending): number | undefined;
  closeAll(): void;
}

interface OpenSpan {
  readonly span: Span;
  readonly started: number;
}

/** An empty tree whose spans come from `tracer`. */
export function createSpanTree(tracer: Tracer): SpanTree {
  const spans = new Map<Place, OpenSpan>();

  function contextBelow(parents: readonly Place[]): Context {
    const active = context.active();
    for (const place of parents) {
      const parent = spans.get(place);
      if (parent !== undefined) return trace.setSpan(active, parent.span);
    }
    return active;
  }

  const tree: SpanTree = {
    open(place, name, { parents, ...options }) {
      // What a crash of an observer left open would otherwise never end.
      tree.close(place);
      const span = tracer.startSpan(name, options, contextBelow(parents));
      spans.set(place, { span, started: performance.now() });
    },
    get: (place) => spans.get(place)?.span,
    close(place, { attributes = {}, errorType } = {}) {
      const open = spans.get(place);
      if (open === undefined) return undefined;
      spans.delete(place);
      open.span.setAttributes(attributes);
      if (errorType !== undefined) {
        open.span.setAttribute('error.type', errorType);
        open.span.setStatus({ code: SpanStatusCode.ERROR, message: errorType });
      }
      open.span.end();
      return (performance.now() - open.started) / 1_000;
    },
    closeAll() {
      for (const place of spans.keys()) tree.close(place);
    },
  };
  return tree;
}
