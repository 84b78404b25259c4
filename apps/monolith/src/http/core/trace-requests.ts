import { context as contexts, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { TextMapGetter } from '@opentelemetry/api';
import type { MiddlewareHandler } from 'hono';
import { redacted } from '@ravi/invoker';
import { withoutCompletionTokens } from '@ravi/support';
import { matchedRoute } from './request-log.ts';
import type { TelemetryProviders } from '../../observability/open-exporters.ts';

const headerNames: TextMapGetter<Headers> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
};
// Bucket bounds of the OpenTelemetry HTTP conventions, in seconds.
const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const firstServerError = 500;

/** Records a span and a duration per request, by the HTTP conventions, as a child of the client's span if it sends one. */
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
    const parent = propagation.extract(contexts.active(), req.raw.headers, headerNames);
    const attributes = { ...common, 'url.path': withoutCompletionTokens(pathname, redacted) };
    const span = tracer.startSpan(req.method, { kind: SpanKind.SERVER, attributes }, parent);
    const started = performance.now();
    await contexts.with(trace.setSpan(parent, span), next);
    const route = matchedRoute(context);
    const { status } = context.res;
    const outcome = {
      'http.route': route,
      'http.response.status_code': status,
      ...(status < firstServerError ? {} : { 'error.type': String(status) }),
    };
    span.updateName(`${req.method} ${route}`).setAttributes(outcome);
    if (status >= firstServerError) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    duration.record((performance.now() - started) / 1_000, { ...common, ...outcome });
  };
}
