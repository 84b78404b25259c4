import type { JsonObject } from '@ravi/kernel';

type Block = Readonly<Record<string, unknown>>;

interface Message {
  readonly role: string;
  readonly content: readonly Block[];
}

/**
 * Returns problems that the API rejects although its schema allows them: order, pairs, empty text, too many cache
 * marks.
 */
export function wireProblems(body: JsonObject): readonly string[] {
  const messages = body['messages'] as unknown as readonly Message[];
  const problems: string[] = [];
  const serverCalls = new Map<string, number>();
  const userSpoke: number[] = [];
  if (messages[0]?.role !== 'user') problems.push('the first message is not of the user');
  for (const [at, { role, content }] of messages.entries()) {
    if (role === messages[at - 1]?.role) problems.push(`message ${at} follows one of the same role`);
    if (content.length === 0) problems.push(`message ${at} is empty`);
    if (content.some(({ type, text }) => type === 'text' && String(text).trim() === '')) {
      problems.push(`message ${at} has empty text`);
    }
    const calls = idsOf(content, 'tool_use', 'id');
    const answered = idsOf(messages[at + 1]?.content ?? [], 'tool_result', 'tool_use_id');
    if (role === 'assistant' && calls.toSorted().join() !== answered.toSorted().join()) {
      problems.push(`the calls ${calls.join()} of message ${at} are answered by ${answered.join()}`);
    }
    if (role === 'user') {
      if (at === 0 && idsOf(content, 'tool_result', 'tool_use_id').length > 0) problems.push('a result without a call');
      const types = content.map(({ type }) => type === 'tool_result');
      if (types.lastIndexOf(true) > types.indexOf(false) && types.includes(false))
        problems.push('results are not first');
      if (types.includes(false)) userSpoke.push(at);
      continue;
    }
    for (const { type, id, tool_use_id: toolUseId } of content) {
      if (typeof type !== 'string' || type === 'tool_use') continue;
      if (type.endsWith('tool_use')) serverCalls.set(String(id), at);
      if (type.endsWith('tool_result') && !serverCalls.delete(String(toolUseId))) problems.push(`an orphan ${type}`);
    }
  }
  for (const [id, at] of serverCalls) {
    if (userSpoke.some((position) => position > at)) problems.push(`${id} has no result, and the user spoke after it`);
  }
  if ((JSON.stringify(body).match(/"cache_control":\{/gu) ?? []).length > 4) problems.push('more than four marks');
  return problems;
}

function idsOf(content: readonly Block[], type: string, key: string): string[] {
  return content.flatMap((block) => (block['type'] === type ? [String(block[key])] : []));
}
