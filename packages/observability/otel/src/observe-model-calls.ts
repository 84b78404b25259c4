import { SpanKind } from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';
import { finishReasonsOf, withoutUndefined, scopeAttributes, providerNameOf, usageAttributes } from './attributes.ts';
import type { Instruments } from './instruments.ts';
import { modelCallKey, runKey, stepKey } from './span-tree.ts';
import type { SpanTree } from './span-tree.ts';
import type { HookSource } from './telemetry.ts';

/** Traces and measures model calls: one span for each attempt. */
export function observeModelCalls(hooks: HookSource, spans: SpanTree, instruments: Instruments): (() => void)[] {
  /** Request attributes by the id of the run. */
  const requests = new Map<string, Attributes>();

  return [
    hooks.observe('model-start', (event) => {
      const { runId, provider, model } = event;
      const attributes = withoutUndefined({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': providerNameOf(provider),
        'gen_ai.request.model': model,
      });
      requests.set(runId, attributes);
      spans.open(modelCallKey(runId), model === undefined ? 'chat' : `chat ${model}`, {
        kind: SpanKind.CLIENT,
        attributes: { ...attributes, ...scopeAttributes(event) },
        parents: [stepKey(runId), runKey(runId)],
      });
    }),
    hooks.observe('model-end', ({ runId, usage, model, stopReason, errorCode }) => {
      const seconds = spans.close(modelCallKey(runId), {
        attributes: withoutUndefined({
          'gen_ai.response.model': model,
          'gen_ai.response.finish_reasons': finishReasonsOf(stopReason),
          ...usageAttributes(usage),
        }),
        errorType: errorCode,
      });
      const common = { ...requests.get(runId), ...withoutUndefined({ 'gen_ai.response.model': model }) };
      requests.delete(runId);
      if (seconds === undefined) return;
      instruments.modelCallDuration.record(seconds, { ...common, ...withoutUndefined({ 'error.type': errorCode }) });
      for (const [type, tokens] of [
        ['input', usage.inputTokens],
        ['output', usage.outputTokens],
      ] as const) {
        if (tokens > 0) instruments.tokenUsage.record(tokens, { ...common, 'gen_ai.token.type': type });
      }
    }),
  ];
}
