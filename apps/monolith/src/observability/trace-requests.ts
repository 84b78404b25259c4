import { context as contexts, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { TextMapGetter } from '@opentelemetry/api';
import type { MiddlewareHandler } from 'hono';
import { matchedRoute } from '../http/core/matched-route.ts';
import type { TelemetryProviders } from './open-exporters.ts';

const headerNames: TextMapGetter<Headers> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
};
// The bounds that the conventions advise, in seconds.
const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const firstServerError = 500;

/** A span and a duration for each request, by the HTTP conventions; below the span of the client when it names one. */
export function traceRequests({ tracerProvider, meterProvider }: TelemetryProviders): MiddlewareHandler {
  const tracer = tracerProvider.getTracer('@ravi/monolith');
  const duration = meterProvider.getMeter('@ravi/monolith').createHistogram('http.server.request.duration', {
    description: 'Duration of HTTP server requests.',
    unit: 's',
    advice: { explicitBucketBoundaries: bounds },
  });

  return async (context, next) => {
    const { req } = context;
    const { pathname, protocol } = new URL(req.url);
    const common = { 'http.request.method': req.method, 'url.scheme': protocol.slice(0, -1) };
    const below = propagation.extract(contexts.active(), req.raw.headers, headerNames);
    const attributes = { ...common, 'url.path': pathname };
    const span = tracer.startSpan(req.method, { kind: SpanKind.SERVER, attributes }, below);
    const started = performance.now();
    await contexts.with(trace.setSpan(below, span), next);
    const route = matchedRoute(context);
    const { status } = context.res;
    const answered = {
      'http.route': route,
      'http.response.status_code': status,
      ...(status < firstServerError ? {} : { 'error.type': String(status) }),
    };
    span.updateName(`${req.method} ${route}`).setAttributes(answered);
    if (status >= firstServerError) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    duration.record((performance.now() - started) / 1_000, { ...common, ...answered });
  };
}
