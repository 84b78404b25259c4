import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { context, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { defineTool, textBlock } from '@ravi/kernel';
import { tokens } from '@ravi/monolith';
import { createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { recordSpans } from './support/recorded-spans.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const config = { agent: { demoScript: './demo.ts' } };
const script = `
  const [echoed] = await Promise.all([tools.echo({ apiKey: 'k-1', text: 'hello' }), tools.echo({ text: 'here' })]);
  await tools.traced({});
  return echoed;
`;

/** Runs the agent until its run ends. */
async function runAgent(server: TestServer, headers: Record<string, string> = {}): Promise<void> {
  const { body: run } = await server.post('/v1/runs', { kind: 'agent', task: 'demo' }, headers);
  for await (const _ of readEvents(await fetch(`${server.url}/v1/runs/${run.id}/events`)));
}

test('one trace holds the request, the run, its steps, the script and each call in it, parallel ones too', async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const spans = recordSpans();
  const tracer = spans.tracerProvider.getTracer('tool');
  const traced = defineTool({
    name: 'traced',
    description: 'Traces what it does itself.',
    inputSchema: { type: 'object' },
    risk: 'safe',
    async execute() {
      await new Promise(setImmediate);
      tracer.startSpan('work of the tool').end();
      return { content: [textBlock('done')], isError: false };
    },
  });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  {
    await using server = await startServer(
      config,
      { 'demo.ts': script },
      { isServer: true, telemetryProviders: spans },
    );
    server.monolith.container.resolve(tokens.toolbox).add(traced);
    await runAgent(server, { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
  }
  context.disable();
  propagation.disable();

  assert.deepEqual(spans.outline(traceId), [
    'POST /v1/runs',
    '  invoke_agent ravi',
    '    step',
    '      chat',
    '      execute_tool tool_chain',
    '        invoke_workflow chain',
    '          execute_tool echo',
    '          execute_tool echo',
    '          execute_tool traced',
    '            work of the tool',
    '    step',
    '      chat',
  ]);
  const all = JSON.stringify(spans.finished().map(({ attributes }) => attributes));
  assert.ok(!all.includes('hello') && !all.includes('k-1'), 'arguments and results are on no span');
});

test('spans have redacted arguments and results if the configuration says so', async () => {
  const spans = recordSpans();
  const secret = 'tr0ub4dor-and-3';
  {
    const options = { telemetryProviders: spans, env: { DATABASE_PASSWORD: secret } };
    await using server = await startServer({ telemetry: { content: true } }, {}, options);
    await server.post('/v1/tools/echo', { args: { apiKey: 'k-1', text: `it is ${secret}` } });
  }
  const call = spans.finished().find(({ name }) => name === 'execute_tool echo');
  assert.equal(call?.attributes['gen_ai.tool.call.arguments'], '{"apiKey":"[redacted]","text":"it is [redacted]"}');
  const result = call?.attributes['gen_ai.tool.call.result'];
  assert.ok(typeof result === 'string' && result.includes('it is [redacted]') && !result.includes(secret));
});

test('the collector of the environment receives spans and measurements as OTLP', async () => {
  // oxlint-disable-next-line typescript/no-explicit-any
  const received = new Map<string, any[]>();
  const collector = createServer((request, response) => {
    json(request).then(
      (body) => {
        received.set(request.url ?? '', [...(received.get(request.url ?? '') ?? []), body]);
        response.setHeader('content-type', 'application/json').end('{}');
      },
      () => response.writeHead(400).end(),
    );
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  {
    await using server = await startServer({}, {}, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
    const { body } = await server.chain(`return tools.echo({ text: 'hello' })`);
    assert.equal(body.status, 'ok');
  }
  collector.close();

  const [{ resource, scopeSpans }] = (received.get('/v1/traces') ?? []).flatMap(({ resourceSpans }) => resourceSpans);
  const service = resource.attributes.find(({ key }: { readonly key: string }) => key === 'service.name');
  assert.equal(service.value.stringValue, 'ravi');
  const names = scopeSpans.flatMap(({ spans }: { readonly spans: readonly { readonly name: string }[] }) =>
    spans.map(({ name }) => name),
  );
  assert.deepEqual(names.toSorted(), ['POST /v1/chains', 'execute_tool echo', 'invoke_workflow chain']);
  const measured = JSON.stringify(received.get('/v1/metrics'));
  for (const name of ['gen_ai.execute_tool.duration', 'http.server.request.duration']) {
    assert.ok(measured.includes(name), name);
  }
});

test('an unreachable collector costs spans and one log line only', async () => {
  const logger = createMemoryLogger();
  {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    await using server = await startServer({}, {}, { env, logger });
    assert.equal((await server.chain('return 1')).body.value, 1);
  }
  assert.ok(logger.records.some(({ level, message }) => level === 'warn' && message.startsWith('telemetry')));
});
