import type {
  ContentBlock,
  JsonObject,
  JsonValue,
  ModelMessage,
  ModelWarning,
  ToolUseBlock,
  UnknownBlock,
} from '@ravi/kernel';
import { textOf } from '@ravi/kernel';
import { arrangeTurns, createIdMap, mediaAsText, orphanWarnings, ownData, textOrEmpty } from '@ravi/provider-kit';
import type { AssistantTurn, CallResult, IdRules } from '@ravi/provider-kit';
import { resultContent, textBlocks, wireContent } from './content.ts';
import { pairServerBlocks } from './server-blocks.ts';
import type { ServerBlocks } from './server-blocks.ts';
import type { DeclaredTools } from './tools.ts';

/** Encoded message. */
export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly JsonObject[];
}

/** Encoded conversation. */
export interface WireConversation {
  readonly messages: readonly WireMessage[];
  /** Id of the container in which scripts of the conversation run. */
  readonly container: string | undefined;
}

/** Inputs for encoding a conversation. */
export interface ConversationContext {
  readonly source: string;
  /** True if the server rejects reasoning without a signature. */
  readonly needsSignatures: boolean;
  readonly tools: DeclaredTools;
  readonly warnings: ModelWarning[];
}

interface Context extends ConversationContext {
  readonly server: ServerBlocks;
  readonly idOf: (id: string) => string;
}

const idRules: IdRules = { pattern: /^[a-zA-Z0-9_-]{1,64}$/u, prefix: 'toolu_', length: 30 };

/**
 * Encodes a conversation: user and assistant alternate, and all results come first in the message after their calls.
 */
export function wireConversation(messages: readonly ModelMessage[], given: ConversationContext): WireConversation {
  const { turns, orphans } = arrangeTurns(messages);
  const { source, warnings } = given;
  const server = pairServerBlocks(turns, source);
  warnings.push(...orphanWarnings(orphans));
  if (server.dropped > 0) {
    const message = `${server.dropped} blocks of other models, or without their counterpart, are not sent`;
    warnings.push({ code: 'block-dropped', message });
  }
  const context: Context = { ...given, server, idOf: createIdMap(idRules) };
  const wire: { role: WireMessage['role']; content: JsonObject[] }[] = [];
  const add = (role: WireMessage['role'], content: readonly JsonObject[]): void => {
    if (content.length === 0) return;
    const last = wire.at(-1);
    if (last?.role === role) last.content.push(...content);
    else wire.push({ role, content: [...content] });
  };
  for (const turn of turns) {
    if (turn.role === 'user') add('user', wireContent(turn.content, 'user', source, warnings));
    else {
      // A conversation must begin with the user.
      if (wire.length === 0) add('user', textBlocks('Continue.'));
      add('assistant', assistantContent(turn, context));
      add(
        'user',
        turn.results.map((result) => resultBlock(result, context)),
      );
    }
  }
  trimEnd(wire.at(-1));
  return { messages: wire, container: server.container };
}

/**
 * Returns true if the response that the model continues did not begin with thinking, which manual thinking requires.
 */
export function continuesWithoutThinking(messages: readonly WireMessage[]): boolean {
  const last = messages.at(-1);
  const isOpen = last?.role === 'assistant' || last?.content.some(({ type }) => type === 'tool_result') === true;
  const response = isOpen ? messages.findLast(({ role }) => role === 'assistant') : undefined;
  return response !== undefined && !/^(redacted_)?thinking$/u.test(textOrEmpty(response.content[0]?.['type']));
}

/**
 * Encodes an assistant turn. Calls must come last, so text after them, written by another model, is moved before them.
 */
function assistantContent({ content }: AssistantTurn, context: Context): JsonObject[] {
  const blocks = content.flatMap((block) => assistantBlock(block, context));
  const first = blocks.findIndex(({ type }) => type === 'tool_use');
  if (first === -1) return blocks;
  const rest = blocks.slice(first);
  const texts = rest.filter(({ type }) => type === 'text');
  return [...blocks.slice(0, first), ...texts, ...rest.filter(({ type }) => type !== 'text')];
}

function assistantBlock(block: ContentBlock, context: Context): JsonObject[] {
  switch (block.type) {
    case 'text':
      return textBlocks(block.text, citationsOf(ownData(block, context.source)));
    case 'data':
    case 'error':
      return textBlocks(textOf([block]));
    case 'tool_use':
      return [callBlock(block, context)];
    case 'reasoning':
      return thinkingBlock(block.text, ownData(block, context.source) as JsonObject | undefined, context);
    case 'unknown':
      return context.server.isKept(block) ? [serverBlock(block, context)] : [];
    case 'image':
    case 'audio':
    case 'document':
      return textBlocks(mediaAsText(block));
    default:
      return [];
  }
}

/** Returns citations without the file id, which requests must not contain. */
function citationsOf(own: JsonValue | undefined): JsonValue | undefined {
  const citations = (own as JsonObject | undefined)?.['citations'];
  return Array.isArray(citations)
    ? (citations as readonly JsonObject[]).map(({ file_id: _file, ...citation }) => citation)
    : undefined;
}

function callBlock(call: ToolUseBlock, context: Context): JsonObject {
  const { natives, prepared } = context.tools;
  const native = call.callType === undefined ? undefined : natives.find(({ name }) => name === call.name);
  const caller = (ownData(call, context.source) as JsonObject | undefined)?.['caller'] as JsonObject | undefined;
  const { action, ...input } = call.arguments;
  const isMember = native?.isToolset === true && typeof action === 'string';
  return {
    type: 'tool_use',
    id: context.idOf(call.id),
    name: isMember ? action : (native?.wireName ?? prepared.names.toWire(call.name)),
    input: isMember ? input : call.arguments,
    ...(caller !== undefined && context.server.hasCall(textOrEmpty(caller['tool_id'])) ? { caller } : {}),
    ...(isMember ? { toolset_name: native.wireName } : {}),
  };
}

function resultBlock(pair: CallResult, { source, tools, warnings, idOf }: Context): JsonObject {
  const { call, result } = pair;
  const content = resultContent(pair, source, warnings);
  const toolset = call.callType === undefined ? undefined : tools.natives.find(({ name }) => name === call.name);
  const isMember = toolset?.isToolset === true && typeof call.arguments['action'] === 'string';
  return {
    type: 'tool_result',
    tool_use_id: idOf(call.id),
    ...(content.length === 0 ? {} : { content }),
    ...(result.isError ? { is_error: true } : {}),
    ...(isMember ? { toolset_name: toolset.wireName } : {}),
  };
}

function thinkingBlock(text: string, own: JsonObject | undefined, { needsSignatures }: Context): JsonObject[] {
  if (own === undefined) return [];
  if (own['type'] === 'redacted_thinking') return [own];
  const signature = textOrEmpty(own['signature']);
  return signature === '' && needsSignatures ? [] : [{ type: 'thinking', thinking: text, signature }];
}

/**
 * Encodes a provider block for a request. Tools found by a tool search are removed if they are no longer offered, and
 * so are fields that only responses may have; the API would reject both.
 */
function serverBlock({ raw }: UnknownBlock, { tools }: Context): JsonObject {
  const block = raw as JsonObject;
  const { content } = block;
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return block;
  const { abort_reason: _reason, tool_references: references, ...fields } = content as JsonObject;
  if (!Array.isArray(references)) return { ...block, content: fields };
  const offered = new Set(tools.declared.map(({ name }) => name));
  const known = (references as readonly JsonObject[]).filter(({ tool_name: name }) => offered.has(name));
  return { ...block, content: { ...fields, tool_references: known } };
}

/** Trims the end of a response to continue, which must not end in white space. */
function trimEnd(message: { role: WireMessage['role']; content: JsonObject[] } | undefined): void {
  const last = message?.content.at(-1);
  if (message?.role !== 'assistant' || last?.['type'] !== 'text') return;
  message.content[message.content.length - 1] = { ...last, text: textOrEmpty(last['text']).trimEnd() };
}
