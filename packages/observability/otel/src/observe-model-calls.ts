import { SpanKind } from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';
import { finishReasonsOf, given, placeOf, providerNameOf, usageAttributes } from './attributes.ts';
import type { Instruments } from './instruments.ts';
import { placeOfAnswer, placeOfRun, placeOfStep } from './span-tree.ts';
import type { SpanTree } from './span-tree.ts';
import type { HookSource } from './telemetry.ts';

/** Answers of models: one span for each attempt. */
export function observeAnswers(hooks: HookSource, spans: SpanTree, instruments: Instruments): (() => void)[] {
  /** What was asked, by the id of the run. */
  const asked = new Map<string, Attributes>();

  return [
    hooks.observe('llm-start', (payload) => {
      const { runId, provider, model } = payload;
      const attributes = given({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': providerNameOf(provider),
        'gen_ai.request.model': model,
      });
      asked.set(runId, attributes);
      spans.open(placeOfAnswer(runId), model === undefined ? 'chat' : `chat ${model}`, {
        kind: SpanKind.CLIENT,
        attributes: { ...attributes, ...placeOf(payload) },
        parents: [placeOfStep(runId), placeOfRun(runId)],
      });
    }),
    hooks.observe('llm-end', ({ runId, usage, model, stopReason, errorCode }) => {
      const seconds = spans.close(placeOfAnswer(runId), {
        attributes: given({
          'gen_ai.response.model': model,
          'gen_ai.response.finish_reasons': finishReasonsOf(stopReason),
          ...usageAttributes(usage),
        }),
        errorType: errorCode,
      });
      const common = { ...asked.get(runId), ...given({ 'gen_ai.response.model': model }) };
      asked.delete(runId);
      if (seconds === undefined) return;
      instruments.answerDuration.record(seconds, { ...common, ...given({ 'error.type': errorCode }) });
      for (const [type, tokens] of [
        ['input', usage.inputTokens],
        ['output', usage.outputTokens],
      ] as const) {
        if (tokens > 0) instruments.tokenUsage.record(tokens, { ...common, 'gen_ai.token.type': type });
      }
    }),
  ];
}
