import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, Span, SpanOptions, Tracer } from '@opentelemetry/api';
import type { HookScope } from '@ravi/kernel';

/** Where a span stands: what it is of, by the ids that hooks carry. */
export type Place = string;

/** The run of an agent. */
export const placeOfRun = (runId: string): Place => `run ${runId}`;
/** The step that a run takes at present. */
export const placeOfStep = (runId: string): Place => `step ${runId}`;
/** The answer that a run waits for. */
export const placeOfAnswer = (runId: string): Place => `answer ${runId}`;
/** A call; ids of calls are unique within a run. */
export const placeOfCall = (runId: string, callId = ''): Place => `call ${runId} ${callId}`;
/** The script of a call, or of a run that is nothing but a script. */
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
