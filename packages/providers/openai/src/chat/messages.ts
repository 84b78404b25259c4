import { textOf } from '@ravi/kernel';
import type {
  ContentBlock,
  JsonObject,
  JsonValue,
  MediaBlock,
  ModelMessage,
  ModelWarning,
  ToolUseBlock,
} from '@ravi/kernel';
import {
  arrangeTurns,
  base64Of,
  createIdMap,
  fileNameOf,
  mediaAsText,
  foreignWarnings,
  isMedia,
  mediaUrl,
  orphanWarnings,
  ownData,
  takesMedia,
  textOfMedia,
} from '@ravi/provider-kit';
import type { AssistantTurn, CallResult, PreparedTools } from '@ravi/provider-kit';
import { unreadCustomCall, resultText } from '../encoding.ts';
import type { WireSettings } from '../wire-settings.ts';
import { reasoningFields } from './reasoning.ts';

/** Inputs for encoding a conversation. */
export interface ChatConversation {
  readonly settings: WireSettings;
  readonly source: string;
  readonly tools: PreparedTools;
  readonly warnings: ModelWarning[];
  /** True if the server requires a reasoning field with every call, even an empty one. */
  readonly needsReasoning: boolean;
}

interface MessageContext extends ChatConversation {
  readonly idOf: (id: string) => string;
}

/** Encodes the conversation as chat messages. */
export function chatMessages(messages: readonly ModelMessage[], given: ChatConversation): JsonObject[] {
  const { settings, warnings } = given;
  const { turns, orphans } = arrangeTurns(messages);
  warnings.push(...orphanWarnings(orphans), ...foreignWarnings(messages, given.source));
  const context: MessageContext = { ...given, idOf: createIdMap(settings.dialect.ids) };
  const wire = turns.flatMap((turn) => {
    if (turn.role === 'user') return userMessage(turn.content, context);
    return [...assistantMessage(turn, context), ...resultMessages(turn.results, context)];
  });
  return settings.dialect.userAfterResults === false ? withoutUserAfterResults(wire) : wire;
}

/**
 * Moves a user message directly after results into the last result, marked as the user's, for a server that rejects it.
 * No words of the model are invented.
 */
function withoutUserAfterResults(messages: readonly JsonObject[]): JsonObject[] {
  const moved: JsonObject[] = [];
  for (const message of messages) {
    const last = moved.at(-1);
    if (message['role'] !== 'user' || last?.['role'] !== 'tool') moved.push(message);
    else {
      const said = [{ type: 'text', text: '[Not part of the result: the next message of the user]' }];
      const content = [...partsOf(last['content']), ...said, ...partsOf(message['content'])];
      moved[moved.length - 1] = { ...last, content };
    }
  }
  return moved;
}

function partsOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (Array.isArray(content)) return content as readonly JsonObject[];
  return content === '' || content === undefined ? [] : [{ type: 'text', text: content }];
}

function userMessage(content: readonly ContentBlock[], context: MessageContext): JsonObject[] {
  const parts = content.flatMap((block): JsonObject[] => {
    if (isMedia(block)) return [userMedia(block, context)];
    const text = textOf([block]);
    return text === '' ? [] : [{ type: 'text', text }];
  });
  return parts.length === 0 ? [] : [{ role: 'user', content: plainIfText(parts) }];
}

/** Returns text alone as a string, because several servers accept nothing else. */
function plainIfText(parts: readonly JsonObject[]): JsonValue {
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.length === parts.length ? texts.join('\n') : parts;
}

function assistantMessage({ content, results }: AssistantTurn, context: MessageContext): JsonObject[] {
  const text = content.map((block) => (isMedia(block) ? mediaAsText(block) : textOf([block]))).join('');
  const calls = content.filter((block) => block.type === 'tool_use').map((call) => toolCall(call, context));
  if (text === '' && calls.length === 0) return [];
  const own = content.flatMap((block) =>
    block.type === 'reasoning' ? [{ block, data: ownData(block, context.source) }] : [],
  );
  const reasoning = reasoningFields(own, results.length > 0);
  const { thinking, ...fields } = reasoning;
  return [
    {
      role: 'assistant',
      ...(text === '' && thinking === undefined
        ? {}
        : { content: thinking === undefined ? text : withThinking(thinking, text) }),
      ...(context.needsReasoning && calls.length > 0 ? { reasoning_content: '' } : {}),
      ...fields,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

function withThinking(thinking: readonly JsonObject[], text: string): JsonValue {
  return text === '' ? thinking : [...thinking, { type: 'text', text }];
}

function toolCall(call: ToolUseBlock, { source, tools, idOf }: MessageContext): JsonObject {
  const kept = (ownData(call, source) ?? {}) as JsonObject;
  const id = idOf(call.id);
  const custom = call.invalid === undefined ? call.arguments : unreadCustomCall(call, tools.native);
  if (call.callType === 'custom') return { ...kept, id, type: 'custom', custom };
  const name = tools.names.toWire(call.name);
  return { ...kept, id, type: 'function', function: { name, arguments: JSON.stringify(call.arguments) } };
}

/** Encodes all results, then a user message with the media that results cannot contain. */
function resultMessages(results: readonly CallResult[], context: MessageContext): JsonObject[] {
  const { media } = context.settings.dialect;
  const moved: ContentBlock[] = [];
  const messages = results.map(({ call, result }): JsonObject => {
    const id = context.idOf(call.id);
    const kept = result.content.filter(
      (block) => isMedia(block) && takesMedia(media, 'tool-result', block),
    ) as MediaBlock[];
    const rest = result.content.filter((block): block is MediaBlock => isMedia(block) && !kept.includes(block));
    const shown = rest.filter((block) => takesMedia(media, 'user', block));
    const inWords = rest.filter((block) => !shown.includes(block));
    if (shown.length > 0) moved.push({ type: 'text', text: `From the result of ${call.name} (${id}):` }, ...shown);
    for (const { mediaType } of rest.filter((block) => textOfMedia(block) === undefined)) {
      const message = `Media of type ${mediaType} in a result of ${call.name} is moved to a user message or described as text`;
      context.warnings.push({ code: 'media-replaced', tool: call.name, message });
    }
    const note =
      shown.length > 0 ? [`[${shown.length === 1 ? 'A medium follows' : 'Media follow'} in the next message.]`] : [];
    const text = [resultText(result), ...inWords.map(mediaAsText), ...note].filter((line) => line !== '').join('\n');
    const parts = [...(text === '' ? [] : [{ type: 'text', text }]), ...kept.map((block) => userMedia(block, context))];
    return { role: 'tool', tool_call_id: id, content: kept.length === 0 ? text : parts };
  });
  return [...messages, ...userMessage(moved, context)];
}

function userMedia(block: MediaBlock, { settings, warnings }: MessageContext): JsonObject {
  // Only images may be sent as a URL.
  const hasData = block.type === 'image' || base64Of(block) !== undefined;
  if (!hasData || !takesMedia(settings.dialect.media, 'user', block)) {
    if (textOfMedia(block) === undefined) {
      warnings.push({ code: 'media-replaced', message: `Media of type ${block.mediaType} is described as text` });
    }
    return { type: 'text', text: mediaAsText(block) };
  }
  if (block.type === 'image') return { type: 'image_url', image_url: { url: mediaUrl(block) } };
  if (block.type === 'audio') {
    const format = block.mediaType === 'audio/wav' ? 'wav' : 'mp3';
    return { type: 'input_audio', input_audio: { data: base64Of(block) ?? '', format } };
  }
  return { type: 'file', file: { filename: fileNameOf(block), file_data: mediaUrl(block) } };
}
