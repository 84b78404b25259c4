import type { ResultPoint } from '@ravi/kernel';
import { placeOfCall } from './span-tree.ts';
import type { SpanTree } from './span-tree.ts';
import type { HookSource } from './telemetry.ts';

const points: readonly ResultPoint[] = [
  'after-tool',
  'tool-error',
  'permission-denied',
  'budget-exceeded',
  'tools-disabled',
];
const maxCharacters = 4_000;

/** Puts what calls were asked and what they answered on their spans. */
export function recordContent(hooks: HookSource, spans: SpanTree, redact: (text: string) => string): (() => void)[] {
  const put = (name: string, { runId, callId }: { runId: string; callId?: string }, text: string): void => {
    const span = spans.get(placeOfCall(runId, callId));
    if (span?.isRecording() === true) span.setAttribute(name, redact(text).slice(0, maxCharacters));
  };
  return [
    // After the span has begun, because observers are told in the order in which they came.
    hooks.observe('tool-start', (payload) => put('gen_ai.tool.call.arguments', payload, payload.argsPreview)),
    ...points.map((point) =>
      hooks.interceptResult(point, (call, { text }) => {
        put('gen_ai.tool.call.result', call, text);
        return undefined;
      }),
    ),
  ];
}
