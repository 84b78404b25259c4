import { textOf } from '@ravi/kernel';
import type { ContentBlock, JsonObject, MediaBlock, ModelMessage, ToolUseBlock } from '@ravi/kernel';
import {
  arrangeTurns,
  describeMedia,
  foreignWarnings,
  isForeign,
  isMedia,
  orphanWarnings,
  ownData,
  takesMedia,
} from '@ravi/provider-kit';
import type { AssistantTurn } from '@ravi/provider-kit';
import { wireNameOf } from './conversation-context.ts';
import type { ConversationContext } from './conversation-context.ts';
import { mediaOf, mediaPart } from './media.ts';
import { resultParts } from './results.ts';

/** Stands for the signature of a call that another model made; Google documents it for histories from elsewhere. */
const noSignature = 'skip_thought_signature_validator';

/** The conversation as contents: each answer with its parts as they came, the results of its calls in one content behind it. */
export function contentsOf(messages: readonly ModelMessage[], options: ConversationContext): JsonObject[] {
  const { turns, orphans } = arrangeTurns(messages);
  options.warnings.push(...orphanWarnings(orphans), ...foreignWarnings(messages, options.source));
  const contents: { readonly role: string; readonly parts: JsonObject[] }[] = [];
  const add = (role: 'user' | 'model', parts: readonly JsonObject[]): void => {
    if (parts.length === 0) return;
    const last = contents.at(-1);
    // Results are counted against calls, so nothing else stands beside them.
    const isApart = [...(last?.parts ?? []), ...parts].some((part) => 'functionResponse' in part);
    if (last?.role === role && !isApart) last.parts.push(...parts);
    else contents.push({ role, parts: [...parts] });
  };

  for (const turn of turns) {
    if (turn.role === 'user') {
      add('user', userParts(turn.content, options));
      continue;
    }
    // A call is refused where nobody asked for anything.
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
  warnings.push({ code: 'media-replaced', message: `A medium of type ${block.mediaType} is described in words` });
  return { text: describeMedia(block) };
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
