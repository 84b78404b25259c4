import type { ModelMessage, ToolResultBlock, ToolUseBlock } from '@ravi/kernel';

/** Deviations from the strict rules that a history may have. */
export interface PairingOptions {
  /** Calls of the last assistant message that have no result yet, as in a paused run. */
  readonly openCalls?: readonly string[];
}

/**
 * Returns the violations of the rules that all providers share, one sentence each; empty for a valid conversation:
 * it begins with the user; no user message follows another; each call has an id of its own and exactly one result; all
 * results of an assistant message are together at the beginning of the next user message, in the order of the calls.
 * An assistant message may follow another only when the first left no call open, as after a provider's pause.
 */
export function pairingProblems(
  messages: readonly ModelMessage[],
  { openCalls = [] }: PairingOptions = {},
): readonly string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  let pending: readonly string[] = [];
  let before: ModelMessage['role'] | undefined;
  messages.forEach((message, index) => {
    const at = `message ${index}`;
    if (message.content.length === 0 && message.role === 'user') problems.push(`${at} is empty`);
    if (index === 0 && message.role !== 'user') problems.push('the first message is not the user’s');
    if (message.role === 'user') {
      if (before === 'user') problems.push(`${at} follows another user message`);
      problems.push(...problemsOfResults(message, pending).map((problem) => `${at}: ${problem}`));
      pending = [];
    } else {
      problems.push(...pending.map((id) => `${at} comes before the result of ${id}`));
      problems.push(...problemsOfCalls(message, seen).map((problem) => `${at}: ${problem}`));
      pending = callsOf(message)
        .map((call) => call.id)
        .filter((id) => !openCalls.includes(id));
    }
    before = message.role;
  });
  return [...problems, ...pending.map((id) => `the call ${id} has no result`)];
}

function problemsOfResults(message: ModelMessage, pending: readonly string[]): readonly string[] {
  const results = message.content.filter((block): block is ToolResultBlock => block.type === 'tool_result');
  const ids = results.map((result) => result.toolUseId);
  const first = message.content.findIndex((block) => block.type !== 'tool_result');
  const isMixed = first !== -1 && message.content.slice(first).some((block) => block.type === 'tool_result');
  const calls = message.content.some((block) => block.type === 'tool_use');
  return [
    ...(ids.join('\n') === pending.join('\n') ? [] : [`results are [${ids.join()}], calls were [${pending.join()}]`]),
    ...(isMixed ? ['a result follows other content'] : []),
    ...(calls ? ['a user message holds a call'] : []),
  ];
}

function problemsOfCalls(message: ModelMessage, seen: Set<string>): readonly string[] {
  const problems: string[] = [];
  for (const { id, invalid, arguments: args } of callsOf(message)) {
    if (id === '') problems.push('a call has no id');
    if (seen.has(id)) problems.push(`the id ${id} was used before`);
    if (invalid !== undefined && Object.keys(args).length > 0) problems.push(`the invalid call ${id} has arguments`);
    seen.add(id);
  }
  if (message.content.some((block) => block.type === 'tool_result'))
    problems.push('an assistant message holds a result');
  return problems;
}

function callsOf(message: ModelMessage): readonly ToolUseBlock[] {
  return message.content.filter((block) => block.type === 'tool_use');
}
