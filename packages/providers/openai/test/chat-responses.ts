import type { ContentBlock } from '@ravi/kernel';
import type { CollectedAnswer } from '@ravi/testkit';
import { decodeStream } from './decode-recorded.ts';

/** JSON object of any shape. */
export type WireObject = Readonly<Record<string, unknown>>;

/** Returns chat chunks as a stream; a string is a finish reason. */
export function chat(...deltas: readonly (WireObject | string)[]): CollectedAnswer {
  const chunks = deltas.map((delta) =>
    typeof delta === 'string'
      ? { choices: [{ index: 0, delta: {}, finish_reason: delta }] }
      : { choices: [{ index: 0, delta, finish_reason: null }] },
  );
  return decodeStream('chat', [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n']);
}

/** Returns a delta with these pieces of calls. */
export const calls = (...tool_calls: readonly WireObject[]): WireObject => ({ tool_calls });
/** Returns a piece of a call. */
export const call = (name: string | undefined, args: unknown, more: WireObject = {}): WireObject => ({
  ...more,
  function: { ...(name === undefined ? {} : { name }), arguments: args },
});

/** Returns the name of each call with its arguments, or the reason why it must not run. */
export function made(blocks: readonly ContentBlock[]): unknown[] {
  return blocks.flatMap((block) =>
    block.type === 'tool_use' ? [[block.name, block.invalid?.reason ?? block.arguments]] : [],
  );
}

/** Returns the id of each call. */
export function idsOf(blocks: readonly ContentBlock[]): string[] {
  return blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}
