import { context, metrics, trace } from '@opentelemetry/api';
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { HookEvent, HookObserver, HookScope, ResultInterceptor, ResultPoint } from '@ravi/kernel';
import { createInstruments } from './instruments.ts';
import { observeAgents } from './observe-agents.ts';
import { observeAnswers } from './observe-answers.ts';
import { observeCalls } from './observe-calls.ts';
import { recordContent } from './record-content.ts';
import { createSpanTree, placeOfCall } from './span-tree.ts';

/** What tells of a runtime: the `HookManager` of `@ravi/agents`. */
export interface HookSource {
  /** Returns how to stop. */
  observe<Event extends HookEvent>(event: Event, observer: HookObserver<Event>): () => void;
  /** Returns how to stop. */
  interceptResult(point: ResultPoint, interceptor: ResultInterceptor): () => void;
}

/** Options of {@link createTelemetry}. */
export interface TelemetryOptions {
  /** The global one when absent. */
  readonly tracerProvider?: TracerProvider;
  /** The global one when absent. */
  readonly meterProvider?: MeterProvider;
  /**
   * Puts the arguments and results of calls into attributes, cut; they are not there when absent. Arguments have lost
   * the values of keys that usually hold secrets before `redact` gets them; results are as the model reads them.
   */
  readonly content?: { readonly redact: (text: string) => string };
}

/** Telemetry of a runtime. Disposing it ends what is open and lets go of the hooks. */
export interface Telemetry extends Disposable {
  /**
   * Runs `body` with the span of a call active, so that what a tool traces stands below its call. Made for the option
   * `wrapExecution` of a `ToolInvoker`; it needs a context manager.
   */
  within<Value>(scope: HookScope, body: () => Value): Value;
}

const scopeName = '@ravi/otel';

/**
 * Traces and measures everything that tells its hooks to `hooks`, by the GenAI semantic conventions. Parents are found by
 * the ids of runs and calls and not by where the code happens to run, so they are right across processes and pauses
 * of the event loop; what has no parent stands below the span that is active where it begins.
 */
export function createTelemetry(hooks: HookSource, options: TelemetryOptions = {}): Telemetry {
  const { tracerProvider = trace.getTracerProvider(), meterProvider = metrics.getMeterProvider(), content } = options;
  const spans = createSpanTree(tracerProvider.getTracer(scopeName));
  const instruments = createInstruments(meterProvider.getMeter(scopeName));
  const stops = [
    ...observeAgents(hooks, spans, instruments),
    ...observeAnswers(hooks, spans, instruments),
    ...observeCalls(hooks, spans, instruments),
    ...(content === undefined ? [] : recordContent(hooks, spans, content.redact)),
  ];
  return {
    within({ runId, callId }, body) {
      const span = spans.get(placeOfCall(runId, callId));
      return span === undefined ? body() : context.with(trace.setSpan(context.active(), span), body);
    },
    [Symbol.dispose]() {
      for (const stop of stops) stop();
      spans.closeAll();
    },
  };
}
