import assert from 'node:assert/strict';
import { HookManager, Toolbox, ToolInvoker } from '@ravi/invoker';
import { ReActAgent } from '@ravi/agents';
import { createToolChainTool } from '@ravi/capabilities';
import { createTelemetry } from '@ravi/otel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createScriptedModel } from '@ravi/testkit';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';

import { openRecording } from './recording.ts';
import { listOrders, refundOrder } from './tools.ts';

const script = `
  const customers = ['customer-7', 'customer-8'];
  const lists = await Promise.all(customers.map((customer) => tools.list_orders({ customer })));
  const refund = await tools.refund_order.safe({ id: lists[0][0].id, cents: 100 });
  return { orders: lists.flat().length, refund: refund.status };
`;

/** Shows the trace of a run: an agent, its model, a script, its concurrent calls, and a call without approval. */
export async function observabilityExample(): Promise<void> {
  const usage = { inputTokens: 1_400, outputTokens: 120 };
  const call = { name: 'tool_chain', arguments: { code: script } };
  const turns = [
    { toolCalls: [call], usage },
    { text: 'Two customers, no refund.', usage },
  ];
  const model = { ...createScriptedModel(turns), model: 'scripted-1' };
  await using sandbox = createIsolatedVmSandbox();
  const exporter = new InMemorySpanExporter();

  // #region wire
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const hooks = new HookManager();
  using telemetry = createTelemetry(hooks, { tracerProvider });

  const registry = new Toolbox([listOrders, refundOrder]);
  const invoker = new ToolInvoker({ registry, hooks, wrapExecution: telemetry.within });
  registry.add(createToolChainTool({ invoker, sandbox }));
  const agent = new ReActAgent({ name: 'clerk', model, invoker });
  await agent.run('How many orders are there? Refund one of them.');
  // #endregion

  const outline = outlineOf(exporter.getFinishedSpans());
  console.log(outline);
  const recording = openRecording('observability');
  recording.add('trace', outline);
  recording.close();
  assert.match(outline, /refund_order +error\.type="E_APPROVAL_NO_HANDLER"/);
}

/** Each span below the one that it is a part of, as they began. */
function outlineOf(spans: readonly ReadableSpan[], parentId?: string, indent = ''): string {
  return spans
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parentId)
    .toSorted(({ startTime: [left, leftNs] }, { startTime: [right, rightNs] }) => left - right || leftNs - rightNs)
    .map((span) => {
      const facts = ['error.type', 'gen_ai.usage.input_tokens'].flatMap((name) =>
        name in span.attributes ? [`${name}=${JSON.stringify(span.attributes[name])}`] : [],
      );
      const line = `${indent}${span.name}`.padEnd(40) + facts.join(' ');
      return `${line.trimEnd()}\n${outlineOf(spans, span.spanContext().spanId, `${indent}  `)}`;
    })
    .join('');
}
