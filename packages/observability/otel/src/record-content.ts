import type { ResultPoint } from '@ravi/kernel';
import { callKey } from './span-tree.ts';
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

/** Puts the arguments and results of calls on their spans. */
export function recordContent(hooks: HookSource, spans: SpanTree, redact: (text: string) => string): (() => void)[] {
  const put = (name: string, { runId, callId }: { runId: string; callId?: string }, text: string): void => {
    const span = spans.get(callKey(runId, callId));
    if (span?.isRecording() === true) span.setAttribute(name, redact(text).slice(0, maxCharacters));
  };
  return [
    // Runs after the span has started, because observers are notified in the order in which they were added.
    hooks.observe('tool-call', (event) => put('gen_ai.tool.call.arguments', event, event.argsPreview)),
    ...points.map((point) =>
      hooks.interceptResult(point, (call, { text }) => {
        put('gen_ai.tool.call.result', call, text);
        return undefined;
      }),
    ),
  ];
}
