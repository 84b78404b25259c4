import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { metrics } from '@opentelemetry/api';
import type { TelemetryProviders } from '../../src/observability/open-exporters.ts';

/** Telemetry providers with readable spans. */
export interface RecordedSpans extends TelemetryProviders {
  finished(): readonly ReadableSpan[];
  /** Returns the span names of the only trace in order of start, indented by two spaces per level. */
  outline(traceId: string): readonly string[];
}

/** Creates providers that keep spans in memory and drop measurements. */
export function recordSpans(): RecordedSpans {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });

  function below(parents: ReadonlySet<string>, indent: string, spans: readonly ReadableSpan[]): readonly string[] {
    return spans
      .filter(({ parentSpanContext }) => parents.has(parentSpanContext?.spanId ?? ''))
      .flatMap((span) => [indent + span.name, ...below(new Set([span.spanContext().spanId]), `${indent}  `, spans)]);
  }

  return {
    tracerProvider,
    meterProvider: metrics.getMeterProvider(),
    finished: () => exporter.getFinishedSpans(),
    outline(traceId) {
      const spans = exporter
        .getFinishedSpans()
        .filter((span) => span.spanContext().traceId === traceId)
        .toSorted(({ startTime: left }, { startTime: right }) => left[0] - right[0] || left[1] - right[1]);
      const own = new Set(spans.map((span) => span.spanContext().spanId));
      const outside = spans
        .map(({ parentSpanContext }) => parentSpanContext?.spanId ?? '')
        .filter((id) => !own.has(id));
      return below(new Set(outside), '', spans);
    },
  };
}
