import { isJsonObject } from '@ravi/provider-kit';
import type { WireObject } from '@ravi/provider-kit';

/** Chunk that only adds to one text. */
export interface LoneText {
  readonly text: string;
  /** Returns its part with another text. */
  partWith(text: string): WireObject;
}

/** Returns the text of a chunk that is only one piece of text, or of a string in the arguments of an open call. */
export function loneText({ candidates, error }: WireObject): LoneText | undefined {
  const candidate = only(candidates);
  if (error !== undefined || candidate === undefined || candidate['finishReason'] !== undefined) return undefined;
  const { content } = candidate;
  const part = isJsonObject(content) ? only(content['parts']) : undefined;
  if (part === undefined) return undefined;
  const { text, functionCall: call } = part;
  if (typeof text === 'string') return { text, partWith: (next) => ({ ...part, text: next }) };
  if (!isJsonObject(call) || call['willContinue'] !== true || 'name' in call || 'args' in call) return undefined;
  const piece = only(call['partialArgs']);
  const written = piece?.['stringValue'];
  if (typeof written !== 'string') return undefined;
  const partWith = (next: string): WireObject => ({
    ...part,
    functionCall: { ...call, partialArgs: [{ ...piece, stringValue: next }] },
  });
  return { text: written, partWith };
}

function only(list: unknown): WireObject | undefined {
  if (!Array.isArray(list) || list.length !== 1) return undefined;
  const [first] = list as readonly unknown[];
  return isJsonObject(first) ? first : undefined;
}
