import type { ContentBlock, ModelMessage, ModelWarning, ToolResultBlock, ToolUseBlock } from '@ravi/kernel';

/** User turn, without results. */
export interface UserTurn {
  readonly role: 'user';
  readonly content: readonly ContentBlock[];
}

/** Assistant turn, with one result for each of its calls. */
export interface AssistantTurn {
  readonly role: 'assistant';
  readonly content: readonly ContentBlock[];
  /** In the order of the calls; every provider expects results directly after the calls. */
  readonly results: readonly CallResult[];
}

/** Call and its result. */
export interface CallResult {
  readonly call: ToolUseBlock;
  readonly result: ToolResultBlock;
}

/** Conversation in the form that providers expect. */
export interface ArrangedTurns {
  readonly turns: readonly (UserTurn | AssistantTurn)[];
  /** Results without a call, which no provider accepts. */
  readonly orphans: readonly ToolResultBlock[];
}

const missingResult = 'There is no result: the call was cancelled or never ran.';

/**
 * Moves each result after the message of its call. Every call gets exactly one result: the first that names it, or an
 * error result. Repeated ids are replaced, so that each pair has its own. Empty messages are removed.
 */
export function arrangeTurns(messages: readonly ModelMessage[]): ArrangedTurns {
  const turns: { role: 'user' | 'assistant'; content: ContentBlock[]; calls: PendingCall[] }[] = [];
  const orphans: ToolResultBlock[] = [];
  const byId = new Map<string, PendingCall[]>();
  const usedIds = new Set<string>();

  for (const [at, { role, content }] of messages.entries()) {
    const turn = { role, content: [] as ContentBlock[], calls: [] as PendingCall[] };
    for (const block of content) {
      if (block.type === 'tool_result') {
        const call = newestUnanswered(byId.get(block.toolUseId));
        if (call === undefined) orphans.push(block);
        else call.result = { ...block, toolUseId: call.block.id };
      } else if (block.type === 'tool_use' && role === 'assistant') {
        const call: PendingCall = {
          block: { ...block, id: uniqueId(block.id, usedIds) },
          message: at,
          result: undefined,
        };
        const sameId = byId.get(block.id);
        if (sameId === undefined) byId.set(block.id, [call]);
        else sameId.push(call);
        turn.calls.push(call);
        turn.content.push(call.block);
      } else if (block.type !== 'tool_use') turn.content.push(block);
    }
    if (turn.content.length > 0) turns.push(turn);
  }

  return {
    orphans,
    turns: turns.map(({ role, content, calls }) => {
      if (role === 'user') return { role, content };
      return {
        role,
        content,
        results: calls.map(({ block: call, result }) => ({ call, result: result ?? missing(call) })),
      };
    }),
  };
}

interface PendingCall {
  readonly block: ToolUseBlock;
  /** Index of its message. */
  readonly message: number;
  result: ToolResultBlock | undefined;
}

/** Returns, of calls that share an id, the first unanswered one in the latest message with an unanswered call. */
function newestUnanswered(calls: readonly PendingCall[] = []): PendingCall | undefined {
  const unanswered = calls.filter(({ result }) => result === undefined);
  return unanswered.find(({ message }) => message === unanswered.at(-1)?.message);
}

function missing(call: ToolUseBlock): ToolResultBlock {
  const text =
    call.invalid === undefined ? missingResult : `The arguments were ${call.invalid.reason}; the call did not run.`;
  return { type: 'tool_result', toolUseId: call.id, isError: true, content: [{ type: 'text', text }] };
}

function uniqueId(id: string, used: Set<string>): string {
  let unique = id === '' ? 'call' : id;
  for (let count = 2; used.has(unique); count++) unique = `${id}~${count}`;
  used.add(unique);
  return unique;
}

/** Returns the ids of all calls of a conversation. */
export function callIdsOf(messages: readonly ModelMessage[]): string[] {
  return messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])));
}

/** Returns warnings about results without a call. */
export function orphanWarnings(orphans: readonly { readonly toolUseId: string }[]): ModelWarning[] {
  return orphans.map(({ toolUseId }) => ({
    code: 'block-dropped',
    message: `A result for call ${toolUseId} is not sent, because no call is waiting for it`,
  }));
}
