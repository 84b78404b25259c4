import type { ContextManager, TextMapPropagator } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

/** Creates the providers of the OpenTelemetry SDK. All uses of the SDK are in this file, so that it is loaded on demand. */
export function createProviders(to: {
  readonly tracesUrl: string | undefined;
  readonly metricsUrl: string | undefined;
  readonly timeoutMillis: number;
}): { readonly tracerProvider: TracerProvider; readonly meterProvider: MeterProvider } {
  const { tracesUrl, metricsUrl, timeoutMillis } = to;
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'ravi' }))
    .merge(detectResources({ detectors: [envDetector] }));
  const spanProcessors =
    tracesUrl === undefined
      ? []
      : [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: tracesUrl, timeoutMillis }) })];
  const readers =
    metricsUrl === undefined
      ? []
      : [new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter({ url: metricsUrl, timeoutMillis }) })];
  return {
    tracerProvider: new TracerProvider({ resource, spanProcessors }),
    meterProvider: new MeterProvider({ resource, readers }),
  };
}

/** Creates a context manager that keeps the active span across `await`. */
export function createContextManager(): ContextManager {
  return new AsyncLocalStorageContextManager().enable();
}

/** Creates a propagator that reads and writes `traceparent`. */
export function createPropagator(): TextMapPropagator {
  return new W3CTraceContextPropagator();
}
