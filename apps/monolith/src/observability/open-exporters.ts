import { context, diag, DiagLogLevel, metrics, propagation, trace } from '@opentelemetry/api';
import type { Logger } from '@ravi/kernel';
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';

/** Receivers of spans and measurements. */
export interface TelemetryProviders {
  readonly tracerProvider: TracerProvider;
  readonly meterProvider: MeterProvider;
}

/** Providers that export to a collector. Disposing them flushes the rest, for up to three seconds. */
export type Exporters = TelemetryProviders & AsyncDisposable;

/** Options of {@link openExporters}. */
export interface ExporterOptions {
  /** Address of a collector; the variables of OpenTelemetry take precedence. */
  readonly endpoint: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

const timeoutMillis = 3_000;

/**
 * Exports spans and metrics to a collector as OTLP over HTTP, in JSON, and registers the providers globally, so that spans of
 * tools are exported too. Returns `undefined`, without loading the SDK, if there is no address or `OTEL_SDK_DISABLED` is
 * `true`.
 */
export async function openExporters({ endpoint, env, logger }: ExporterOptions): Promise<Exporters | undefined> {
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || endpoint;
  const tracesUrl = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || addressOf(base, 'v1/traces');
  const metricsUrl = env['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'] || addressOf(base, 'v1/metrics');
  const isDisabled = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true';
  if (isDisabled || (tracesUrl === undefined && metricsUrl === undefined)) return undefined;
  const sdk = await import('./sdk.ts');

  const warn = (message: string, ...details: unknown[]): void =>
    logger.warn('telemetry', { problem: message, details });
  diag.setLogger({ error: warn, warn, info: warn, debug: warn, verbose: warn }, { logLevel: DiagLogLevel.WARN });
  const providers = sdk.createProviders({ tracesUrl, metricsUrl, timeoutMillis });
  const { tracerProvider, meterProvider } = providers;
  context.setGlobalContextManager(sdk.createContextManager());
  propagation.setGlobalPropagator(sdk.createPropagator());
  trace.setGlobalTracerProvider(tracerProvider);
  metrics.setGlobalMeterProvider(meterProvider);
  return {
    tracerProvider,
    meterProvider,
    async [Symbol.asyncDispose]() {
      const ended = await Promise.allSettled([tracerProvider.shutdown(), meterProvider.shutdown()]);
      for (const each of ended)
        if (each.status === 'rejected') logger.warn('telemetry was lost', { error: each.reason });
      for (const api of [trace, metrics, propagation, context, diag]) api.disable();
    },
  };
}

function addressOf(base: string | undefined, path: string): string | undefined {
  return base === undefined ? undefined : new URL(path, base.endsWith('/') ? base : `${base}/`).href;
}
