/** Provider APIs whose requests {@link wireProblems} reads. */
export const apis = ['chat', 'responses', 'messages', 'gemini'] as const;
export type Api = (typeof apis)[number];

type Wire = Readonly<Record<string, unknown>>;
type Step = readonly ['call' | 'result' | 'other', id: string];

/** Finds calls of a request that do not have exactly one result before the next message. */
export function wireProblems(api: Api, body: unknown): readonly string[] {
  const problems: string[] = [];
  const open = new Set<string>();
  const seen = new Set<string>();
  for (const [kind, id] of [...stepsOf[api](body as Wire), ['other', 'the end'] as const]) {
    if (kind === 'call') {
      if (seen.has(id)) problems.push(`the id ${id} is used again`);
      seen.add(id);
      open.add(id);
    } else if (kind === 'result') {
      if (!open.delete(id)) problems.push(`${id} is answered without being asked, or twice`);
    } else {
      for (const left of open) problems.push(`${left} is not answered before ${id}`);
      open.clear();
    }
  }
  return problems;
}

const stepsOf: Readonly<Record<Api, (body: Wire) => readonly Step[]>> = {
  chat: ({ messages }) =>
    listOf(messages).flatMap(({ role, tool_calls: calls, tool_call_id: id }): Step[] => {
      if (role === 'tool') return [['result', String(id)]];
      if (role === 'assistant') return listOf(calls).map((call) => ['call', String(call['id'])]);
      return [['other', String(role)]];
    }),
  responses: ({ input }) =>
    listOf(input).flatMap(({ type, call_id: id, role }): Step[] => {
      if (type === 'function_call') return [['call', String(id)]];
      if (type === 'function_call_output') return [['result', String(id)]];
      return role === 'user' ? [['other', 'the user']] : [];
    }),
  messages: ({ messages }) =>
    listOf(messages).flatMap(({ role, content }) =>
      listOf(content).flatMap(({ type, id, tool_use_id: answered }): Step[] => {
        if (type === 'tool_use') return [['call', String(id)]];
        if (type === 'tool_result') return [['result', String(answered)]];
        return role === 'user' ? [['other', 'the user']] : [];
      }),
    ),
  gemini: ({ contents }) =>
    listOf(contents).flatMap(({ role, parts }) =>
      listOf(parts).flatMap(({ functionCall, functionResponse }): Step[] => {
        if (functionCall !== undefined) return [['call', String((functionCall as Wire)['id'])]];
        if (functionResponse !== undefined) return [['result', String((functionResponse as Wire)['id'])]];
        return role === 'user' ? [['other', 'the user']] : [];
      }),
    ),
};

function listOf(value: unknown): readonly Wire[] {
  return Array.isArray(value) ? value : [];
}
