import { textOf } from '@ravi/kernel';
import type { ContentBlock, JsonObject, MediaBlock, ModelMessage, ToolUseBlock } from '@ravi/kernel';
import {
  arrangeTurns,
  mediaAsText,
  foreignWarnings,
  isForeign,
  isMedia,
  orphanWarnings,
  ownData,
  takesMedia,
  textOfMedia,
} from '@ravi/provider-kit';
import type { AssistantTurn } from '@ravi/provider-kit';
import { wireNameOf } from './conversation-context.ts';
import type { ConversationContext } from './conversation-context.ts';
import { mediaOf, mediaPart } from './media.ts';
import { resultParts } from './results.ts';

/** Placeholder for the signature of another model's call, documented by Google for foreign histories. */
const noSignature = 'skip_thought_signature_validator';

/**
 * Encodes the conversation as contents: each response with its parts unchanged, followed by one content with the
 * results of its calls.
 */
export function contentsOf(messages: readonly ModelMessage[], options: ConversationContext): JsonObject[] {
  const { turns, orphans } = arrangeTurns(messages);
  options.warnings.push(...orphanWarnings(orphans), ...foreignWarnings(messages, options.source));
  const contents: { readonly role: string; readonly parts: JsonObject[] }[] = [];
  const add = (role: 'user' | 'model', parts: readonly JsonObject[]): void => {
    if (parts.length === 0) return;
    const last = contents.at(-1);
    // The API counts results against calls, so a content with results contains nothing else.
    const isApart = [...(last?.parts ?? []), ...parts].some((part) => 'functionResponse' in part);
    if (last?.role === role && !isApart) last.parts.push(...parts);
    else contents.push({ role, parts: [...parts] });
  };

  for (const turn of turns) {
    if (turn.role === 'user') {
      add('user', userParts(turn.content, options));
      continue;
    }
    // The API rejects a call without a user message before it.
    if (contents.length === 0) add('user', [{ text: 'Continue.' }]);
    add('model', assistantParts(turn, options));
    const { responses, shown } = resultParts(turn.results, options);
    add('user', responses);
    add('user', userParts(shown, options));
  }
  return contents;
}

function userParts(content: readonly ContentBlock[], options: ConversationContext): JsonObject[] {
  return content.flatMap((block): JsonObject[] => {
    if (isMedia(block)) return [userMedia(block, options)];
    const text = textOf([block]);
    return text === '' ? [] : [{ text }];
  });
}

function userMedia(block: MediaBlock, { traits, warnings }: ConversationContext): JsonObject {
  if (takesMedia(mediaOf(traits), 'user', block)) return mediaPart(block);
  if (textOfMedia(block) === undefined) {
    warnings.push({ code: 'media-replaced', message: `Media of type ${block.mediaType} is described as text` });
  }
  return { text: mediaAsText(block) };
}

function assistantParts({ content }: AssistantTurn, options: ConversationContext): JsonObject[] {
  const parts = content.map((block) => assistantPart(block, options)).filter((part) => part !== undefined);
  const first = parts.findIndex((part) => 'functionCall' in part);
  const call = parts[first];
  if (!options.traits.checksSignatures || call === undefined || 'thoughtSignature' in call) return parts;
  return parts.with(first, { ...call, thoughtSignature: noSignature });
}

function assistantPart(block: ContentBlock, options: ConversationContext): JsonObject | undefined {
  switch (block.type) {
    case 'text':
    case 'data':
    case 'error': {
      const text = textOf([block]);
      const own = block.type === 'text' ? (ownData(block, options.source) as JsonObject | undefined) : undefined;
      return text === '' && own === undefined ? undefined : { text, ...own };
    }
    case 'reasoning': {
      const own = ownData(block, options.source) as JsonObject | undefined;
      return own === undefined ? undefined : { text: block.text, ...own };
    }
    case 'tool_use':
      return callPart(block, options);
    case 'unknown':
      return isForeign(block, options.source) ? undefined : (block.raw as JsonObject);
    case 'image':
    case 'audio':
    case 'document':
      return userMedia(block, options);
    default:
      return undefined;
  }
}

function callPart(call: ToolUseBlock, { source, names, idOf }: ConversationContext): JsonObject {
  const { functionCall, ...kept } = (ownData(call, source) ?? {}) as JsonObject;
  const name = wireNameOf(call, names);
  return { ...kept, functionCall: { ...(functionCall as JsonObject), id: idOf(call.id), name, args: call.arguments } };
}
