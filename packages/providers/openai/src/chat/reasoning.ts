import type { JsonObject, JsonValue, ReasoningBlock } from '@ravi/kernel';

/** Field in which a server writes its reasoning, and the parts that must be sent back unchanged. */
export interface ChatReasoning {
  readonly field: 'reasoning_content' | 'reasoning' | 'thinking';
  readonly details?: readonly JsonObject[];
}

/** Reasoning fields of an assistant message. */
export interface ReasoningFields {
  readonly reasoning_content?: string;
  readonly reasoning?: string;
  readonly reasoning_details?: readonly JsonObject[];
  /** Content parts instead of a field. */
  readonly thinking?: readonly JsonObject[];
}

/**
 * Returns reasoning for the server that wrote it. Details are always sent back; text only in the middle of a task,
 * where several servers require it and outside of which some reject it.
 */
export function reasoningFields(
  blocks: readonly { readonly block: ReasoningBlock; readonly data: JsonValue | undefined }[],
  isMidTask: boolean,
): ReasoningFields {
  const own = blocks.filter(({ data }) => data !== undefined);
  const [first] = own;
  if (first === undefined) return {};
  const details = own.flatMap(({ data }) => (data as unknown as ChatReasoning).details ?? []);
  if (details.length > 0) return { reasoning_details: details };
  const { field } = first.data as unknown as ChatReasoning;
  const text = own.map(({ block }) => block.text).join('');
  if (!isMidTask || text === '') return {};
  return field === 'thinking'
    ? { thinking: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }
    : { [field]: text };
}

/** Merges streamed pieces of reasoning details: pieces with the same type and index belong together. */
export function mergeDetails(details: readonly JsonObject[], pieces: readonly JsonObject[]): JsonObject[] {
  const merged = [...details];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (last === undefined || last['type'] !== piece['type'] || last['index'] !== piece['index']) merged.push(piece);
    else merged[merged.length - 1] = mergedDetail(last, piece);
  }
  return merged;
}

function mergedDetail(left: JsonObject, right: JsonObject): JsonObject {
  const whole: Record<string, JsonValue> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const before = whole[key];
    const grows = key === 'text' || key === 'summary' || key === 'data';
    if (grows && typeof before === 'string' && typeof value === 'string') whole[key] = before + value;
    else if (value !== null) whole[key] = value;
  }
  return whole;
}
