import { context, metrics, trace } from '@opentelemetry/api';
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { EventScope, HookEventType, HookObserver, ResultInterceptor, ResultPoint } from '@ravi/kernel';
import { createInstruments } from './instruments.ts';
import { observeAgents } from './observe-agents.ts';
import { observeModelCalls } from './observe-model-calls.ts';
import { observeCalls } from './observe-calls.ts';
import { recordContent } from './record-content.ts';
import { createSpanTree, callKey } from './span-tree.ts';

/** Source of hooks: the `HookManager` of `@ravi/invoker`. */
export interface HookSource {
  /** Calls `observer` for each event of this type. Returns a function that stops it. */
  observe<Type extends HookEventType>(type: Type, observer: HookObserver<Type>): () => void;
  /** Calls `interceptor` for each result. Returns a function that stops it. */
  interceptResult(point: ResultPoint, interceptor: ResultInterceptor): () => void;
}

/** Options of {@link createTelemetry}. */
export interface TelemetryOptions {
  /** The global provider by default. */
  readonly tracerProvider?: TracerProvider;
  /** The global provider by default. */
  readonly meterProvider?: MeterProvider;
  /**
   * Records truncated arguments and results of calls as attributes; nothing is recorded by default. `redact` receives
   * arguments without the values of keys that usually hold secrets, and results as the model sees them.
   */
  readonly content?: { readonly redact: (text: string) => string };
}

/** Telemetry of a runtime. Disposing it ends open spans and unsubscribes from the hooks. */
export interface Telemetry extends Disposable {
  /**
   * Runs `body` with the span of a call active, so that spans of a tool become children of its call. For the option
   * `wrapExecution` of a `ToolInvoker`; it needs a context manager.
   */
  within<Value>(scope: EventScope, body: () => Value): Value;
}

const scopeName = '@ravi/otel';

/**
 * Traces and measures everything that emits hooks to `hooks`, by the GenAI semantic conventions. Parents are found by
 * the ids of runs and calls, not by the active context, so they are right across processes and asynchronous gaps. A
 * span without a parent becomes a child of the span that is active when it starts.
 */
export function createTelemetry(hooks: HookSource, options: TelemetryOptions = {}): Telemetry {
  const { tracerProvider = trace.getTracerProvider(), meterProvider = metrics.getMeterProvider(), content } = options;
  const spans = createSpanTree(tracerProvider.getTracer(scopeName));
  const instruments = createInstruments(meterProvider.getMeter(scopeName));
  const stops = [
    ...observeAgents(hooks, spans, instruments),
    ...observeModelCalls(hooks, spans, instruments),
    ...observeCalls(hooks, spans, instruments),
    ...(content === undefined ? [] : recordContent(hooks, spans, content.redact)),
  ];
  return {
    within({ runId, callId }, body) {
      const span = spans.get(callKey(runId, callId));
      return span === undefined ? body() : context.with(trace.setSpan(context.active(), span), body);
    },
    [Symbol.dispose]() {
      for (const stop of stops) stop();
      spans.closeAll();
    },
  };
}
