import { textOf } from '@ravi/kernel';
import type { ContentBlock, JsonObject, MediaBlock, ModelMessage, ModelWarning, ToolUseBlock } from '@ravi/kernel';
import {
  arrangeTurns,
  base64Of,
  createIdMap,
  fileNameOf,
  mediaAsText,
  foreignWarnings,
  isForeign,
  isMedia,
  mediaUrl,
  orphanWarnings,
  ownData,
  takesMedia,
  textOfMedia,
} from '@ravi/provider-kit';
import type { AssistantTurn, CallResult, MediaPlace, PreparedTools } from '@ravi/provider-kit';
import { resultText } from '../encoding.ts';
import type { WireSettings } from '../wire-settings.ts';
import { isNative, cannotEncode, nativeCall, nativeResult } from './native-calls.ts';
import { isFrame, pictureItem } from './pictures.ts';

interface InputContext {
  readonly settings: WireSettings;
  readonly source: string;
  readonly tools: PreparedTools;
  readonly warnings: ModelWarning[];
  readonly idOf: (id: string) => string;
}

/** Encodes the conversation as input items: each response unchanged, directly followed by its results. */
export function inputItems(
  messages: readonly ModelMessage[],
  settings: WireSettings,
  source: string,
  tools: PreparedTools,
  warnings: ModelWarning[],
): JsonObject[] {
  const { turns, orphans } = arrangeTurns(messages);
  warnings.push(...orphanWarnings(orphans), ...foreignWarnings(messages, source));
  const context = { settings, source, tools, warnings, idOf: createIdMap(settings.dialect.ids) };
  return turns.flatMap((turn) => {
    if (turn.role === 'user') {
      const content = parts(turn.content, 'user', context);
      return content.length === 0 ? [] : [{ role: 'user', content }];
    }
    return [...assistantItems(turn, context), ...turn.results.flatMap((result) => resultItems(result, context))];
  });
}

function assistantItems({ content }: AssistantTurn, context: InputContext): JsonObject[] {
  const items: JsonObject[] = [];
  /** True if the reasoning that led to the next items is not sent. */
  let lacksReasoning = false;
  for (const [at, block] of content.entries()) {
    const mustStripIds: boolean = lacksReasoning && block.type !== 'reasoning';
    const item: JsonObject | undefined = mustStripIds
      ? itemWithoutReasoning(block, context)
      : assistantItem(block, content[at + 1], context);
    if (block.type === 'reasoning' && ownData(block, context.source) !== undefined) lacksReasoning = item === undefined;
    if (item === undefined) continue;
    const last = items.at(-1);
    if (last !== undefined && isSameMessage(last, item)) {
      items[items.length - 1] = { ...last, content: [...contentOf(last), ...contentOf(item)] };
    } else items.push(item);
  }
  // The API rejects a reasoning item without the item that it led to.
  return items.filter(
    (item, at) => item['type'] !== 'reasoning' || items.slice(at + 1).some(({ type }) => type !== 'reasoning'),
  );
}

function assistantItem(
  block: ContentBlock,
  next: ContentBlock | undefined,
  context: InputContext,
): JsonObject | undefined {
  switch (block.type) {
    case 'text':
    case 'data':
    case 'error':
      return messageItem(block, context);
    case 'tool_use':
      return callItem(block, context);
    case 'reasoning':
      return reasoningItem(ownData(block, context.source), context.settings);
    case 'unknown':
      return isForeign(block, context.source) || isFrame(block) ? undefined : (block.raw as JsonObject);
    case 'image': {
      const painted = next === undefined || isForeign(next, context.source) ? undefined : pictureItem(block, next);
      return painted ?? { role: 'assistant', content: mediaAsText(block) };
    }
    case 'audio':
    case 'document':
      return { role: 'assistant', content: mediaAsText(block) };
    default:
      return undefined;
  }
}

/**
 * Encodes an item whose reasoning is not sent: without its id, by which the server would require the reasoning, or not
 * at all.
 */
function itemWithoutReasoning(block: ContentBlock, context: InputContext): JsonObject | undefined {
  const { source, warnings } = context;
  switch (block.type) {
    case 'text': {
      const { opaque: _item, ...rest } = block;
      return assistantItem(rest, undefined, context);
    }
    case 'tool_use': {
      const { id: _id, ...data } = (ownData(block, source) ?? {}) as JsonObject;
      return assistantItem({ ...block, opaque: { source, data } }, undefined, context);
    }
    case 'unknown':
      if (!isForeign(block, source)) {
        const message = 'A provider block is not sent, because the reasoning that led to it cannot be sent';
        warnings.push({ code: 'block-dropped', message });
      }
      return undefined;
    default:
      return assistantItem(block, undefined, context);
  }
}

function messageItem(block: ContentBlock, { source }: InputContext): JsonObject | undefined {
  const text = textOf([block]);
  const own = block.type === 'text' ? (ownData(block, source) as JsonObject | undefined) : undefined;
  if (own === undefined) return text === '' ? undefined : { role: 'assistant', content: text };
  const { part, ...message } = own;
  return {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    ...message,
    content: [filledPart(part as JsonObject, text)],
  };
}

function filledPart(part: JsonObject, text: string): JsonObject {
  return part['type'] === 'refusal' ? { ...part, refusal: text } : { annotations: [], ...part, text };
}

function isSameMessage(left: JsonObject, right: JsonObject): boolean {
  return (
    left['type'] === 'message' && right['type'] === 'message' && left['id'] !== undefined && left['id'] === right['id']
  );
}

function contentOf(message: JsonObject): readonly JsonObject[] {
  return message['content'] as readonly JsonObject[];
}

function callItem(call: ToolUseBlock, { source, tools, warnings, idOf }: InputContext): JsonObject {
  const kept = (ownData(call, source) ?? {}) as JsonObject;
  const callId = idOf(call.id);
  if (cannotEncode(call)) {
    const message = `A call of ${call.name} is sent as text, because its arguments could not be read`;
    warnings.push({ code: 'block-dropped', tool: call.name, message });
    return { role: 'assistant', content: `[A call of ${call.name} that could not be read and did not run.]` };
  }
  if (isNative(call)) return nativeCall(call, callId, kept, tools.native);
  const name = tools.names.toWire(call.name);
  return { type: 'function_call', ...kept, call_id: callId, name, arguments: JSON.stringify(call.arguments) };
}

/** Encodes reasoning. OpenAI reads only encrypted reasoning; other servers accept plain reasoning. */
function reasoningItem(own: unknown, { dialect }: WireSettings): JsonObject | undefined {
  if (own === undefined) return undefined;
  const { id, summary, encrypted_content: encrypted, content } = own as JsonObject;
  if (typeof encrypted === 'string' && encrypted !== '') {
    return {
      type: 'reasoning',
      ...(typeof id === 'string' && id !== '' ? { id } : {}),
      summary: summary ?? [],
      encrypted_content: encrypted,
    };
  }
  if (dialect.name === 'openai') return undefined;
  const readable = Array.isArray(content) && content.length > 0 ? { content: content as JsonObject[] } : {};
  return { type: 'reasoning', id: id ?? '', summary: summary ?? [], ...readable };
}

function resultItems(pair: CallResult, context: InputContext): JsonObject[] {
  const callId = context.idOf(pair.call.id);
  if (cannotEncode(pair.call)) {
    return [{ role: 'user', content: `About the call of ${pair.call.name}: ${resultText(pair.result)}` }];
  }
  if (isNative(pair.call)) return nativeResult(pair, callId);
  const { content } = pair.result;
  const base = { type: 'function_call_output', call_id: callId };
  if (!content.some(isMedia)) return [{ ...base, output: resultText(pair.result) }];
  const text = resultText({ ...pair.result, content: content.filter((block) => !isMedia(block)) });
  const media = parts(content.filter(isMedia), 'tool-result', context);
  return [{ ...base, output: [...(text === '' ? [] : [{ type: 'input_text', text }]), ...media] }];
}

function parts(content: readonly ContentBlock[], place: MediaPlace, context: InputContext): JsonObject[] {
  return content.flatMap((block): JsonObject[] => {
    if (isMedia(block)) return [mediaPart(block, place, context)];
    const text = textOf([block]);
    return text === '' ? [] : [{ type: 'input_text', text }];
  });
}

function mediaPart(block: MediaBlock, place: MediaPlace, { settings, warnings }: InputContext): JsonObject {
  const { media, files = [] } = settings.dialect;
  // Results accept the same media as user messages; audio is not accepted anywhere.
  if (block.type === 'audio' || !takesMedia({ ...media, user: [...media.user, ...files] }, 'user', block)) {
    if (textOfMedia(block) !== undefined) return { type: 'input_text', text: mediaAsText(block) };
    const message = `Media of type ${block.mediaType} (${place}) is described as text`;
    warnings.push({ code: 'media-replaced', message });
    return { type: 'input_text', text: mediaAsText(block) };
  }
  if (block.type === 'image') return { type: 'input_image', detail: 'auto', image_url: mediaUrl(block) };
  if (base64Of(block) === undefined) return { type: 'input_file', file_url: mediaUrl(block) };
  return { type: 'input_file', filename: fileNameOf(block), file_data: mediaUrl(block) };
}
