import type { MeterProvider, TracerProvider } from '@opentelemetry/api';

/** Where spans and measurements go. */
export interface TelemetryProviders {
  readonly tracerProvider: TracerProvider;
  readonly meterProvider: MeterProvider;
}
