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
  describeMedia,
  foreignWarnings,
  isMedia,
  mediaUrl,
  orphanWarnings,
  ownData,
  takesMedia,
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
  return settings.dialect.needsReplyToResults === true ? withRepliesToResults(wire) : wire;
}

/** Inserts an assistant message between results and a user message, for a server that requires one. */
function withRepliesToResults(messages: readonly JsonObject[]): JsonObject[] {
  return messages.flatMap((message, at) =>
    message['role'] === 'user' && messages[at - 1]?.['role'] === 'tool'
      ? [{ role: 'assistant', content: 'I see.' }, message]
      : [message],
  );
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
  const text = content.map((block) => (isMedia(block) ? describeMedia(block) : textOf([block]))).join('');
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
    const described = rest.filter((block) => !shown.includes(block));
    if (shown.length > 0) moved.push({ type: 'text', text: `From the result of ${call.name} (${id}):` }, ...shown);
    for (const { mediaType } of rest) {
      const message = `Media of type ${mediaType} in a result of ${call.name} is moved to a user message or described as text`;
      context.warnings.push({ code: 'media-replaced', tool: call.name, message });
    }
    const note =
      shown.length > 0 ? [`[${shown.length === 1 ? 'A medium follows' : 'Media follow'} in the next message.]`] : [];
    const text = [resultText(result), ...described.map(describeMedia), ...note]
      .filter((line) => line !== '')
      .join('\n');
    const parts = [...(text === '' ? [] : [{ type: 'text', text }]), ...kept.map((block) => userMedia(block, context))];
    return { role: 'tool', tool_call_id: id, content: kept.length === 0 ? text : parts };
  });
  return [...messages, ...userMessage(moved, context)];
}

function userMedia(block: MediaBlock, { settings, warnings }: MessageContext): JsonObject {
  // Only images may be sent as a URL.
  const hasData = block.type === 'image' || base64Of(block) !== undefined;
  if (!hasData || !takesMedia(settings.dialect.media, 'user', block)) {
    warnings.push({ code: 'media-replaced', message: `Media of type ${block.mediaType} is described as text` });
    return { type: 'text', text: describeMedia(block) };
  }
  if (block.type === 'image') return { type: 'image_url', image_url: { url: mediaUrl(block) } };
  if (block.type === 'audio') {
    const format = block.mediaType === 'audio/wav' ? 'wav' : 'mp3';
    return { type: 'input_audio', input_audio: { data: base64Of(block) ?? '', format } };
  }
  return { type: 'file', file: { filename: block.name ?? 'document.pdf', file_data: mediaUrl(block) } };
}
