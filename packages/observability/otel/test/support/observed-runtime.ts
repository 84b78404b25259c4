import type { Attributes, Tracer } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';

import type { Histogram } from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { HookEvent, InterceptedCall, InvocationResult, ResultPoint } from '@ravi/kernel';
import { createTelemetry } from '@ravi/otel';
import type { HookSource, Telemetry, TelemetryOptions } from '@ravi/otel';

/** Spans by name, each with its children. */
export interface SpanNames {
  readonly [name: string]: SpanNames;
}

/** Measurement of one combination of attributes. */
export interface Measurement {
  readonly attributes: Attributes;
  readonly count: number;
  readonly sum: number | undefined;
}

/** Hooks that a test emits, and the spans and measurements that an in-memory SDK receives. */
export interface ObservedRuntime {
  readonly hooks: HookSource;
  readonly telemetry: Telemetry;
  readonly tracer: Tracer;
  emit(event: HookEvent): void;
  finishCall(point: ResultPoint, call: InterceptedCall, result: InvocationResult): Promise<void>;
  finished(): readonly ReadableSpan[];
  /** Returns the only span with this name. */
  span(name: string): ReadableSpan;
  tree(): SpanNames;
  measurements(): Promise<Readonly<Record<string, readonly Measurement[]>>>;
  listeners(): number;
}

/** Creates a runtime that only emits hooks. */
export function createObservedRuntime(options: TelemetryOptions = {}): ObservedRuntime {
  const spans = new InMemorySpanExporter();
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meterProvider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: metrics })] });
  const listeners = new Map<unknown, readonly ((...payload: never[]) => unknown)[]>();

  function listen(key: unknown, listener: (...payload: never[]) => unknown): () => void {
    listeners.set(key, [...(listeners.get(key) ?? []), listener]);
    return () => void listeners.set(key, listeners.get(key)?.filter((each) => each !== listener) ?? []);
  }

  const hooks: HookSource = { observe: listen, interceptResult: listen };
  const telemetry = createTelemetry(hooks, { tracerProvider, meterProvider, ...options });

  const below = (parent: string | undefined): SpanNames =>
    Object.fromEntries(
      spans
        .getFinishedSpans()
        .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
        .map((span) => [span.name, below(span.spanContext().spanId)]),
    );

  return {
    hooks,
    telemetry,
    tracer: tracerProvider.getTracer('test'),
    emit(event) {
      for (const listener of listeners.get(event.type) ?? []) listener(event as never);
    },
    async finishCall(point, call, result) {
      for (const listener of listeners.get(point) ?? []) await listener(call as never, result as never);
    },
    finished: () => spans.getFinishedSpans(),
    span(name) {
      const [span, ...others] = spans.getFinishedSpans().filter((each) => each.name === name);
      if (span === undefined || others.length > 0)
        throw new Error(`Expected one span ${name}, found ${span === undefined ? 0 : others.length + 1}`);
      return span;
    },
    tree: () => below(undefined),
    async measurements() {
      await meterProvider.forceFlush();
      const all = metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
      return Object.fromEntries(
        all.map(({ descriptor, dataPoints }) => [
          descriptor.name,
          dataPoints.map(({ attributes, value }) => {
            const { count, sum } = value as Histogram;
            return { attributes, count, sum };
          }),
        ]),
      );
    },
    listeners: () => [...listeners.values()].flat().length,
  };
}
