import { setTimeout as pause } from 'node:timers/promises';
import type { RaviConfig } from '@ravi/host';
import type { Answer, TestServer } from './server.ts';

/** Calls the tool that its task names before a \`|\`, with the JSON after it, then answers with the result. */
export const callingModel: string = `
const usage = { inputTokens: 1, outputTokens: 1 };
async function* stream({ messages }) {
  const task = messages.findLast(({ role, content }) => role === 'user' && content[0]?.type === 'text').content[0].text;
  const last = messages.at(-1);
  const [line] = task.split('\\n');
  const [tool] = line.split('|');
  const args = line.includes('|') ? line.slice(tool.length + 1) : undefined;
  if (last.role === 'user' && last.content[0].type === 'text' && args !== undefined) {
    yield { type: 'block', block: { type: 'tool_use', id: 'call_' + messages.length, name: tool, arguments: JSON.parse(args) } };
    yield { type: 'finish', reason: 'tool-use', usage };
    return;
  }
  yield { type: 'block', block: { type: 'text', text: JSON.stringify(last.content) } };
  yield { type: 'finish', reason: 'end', usage };
}
export default { name: 'm', port: 'modelProvider', configSchema: { type: 'object' }, create: () => ({ id: 'm', stream }) };
`;

/** Returns a configuration with {@link callingModel}, the tools of triggers, and a short minimum interval. */
export function withTriggers(config: RaviConfig = {}): RaviConfig {
  return {
    triggers: { minIntervalMs: 1_000 },
    ...config,
    plugins: {
      modelProvider: [{ use: './model.mjs' }],
      toolSource: [{ use: '@ravi/tools-triggers' }],
      ...config.plugins,
    },
  };
}

/** Waits until a trigger has a firing that is settled, and returns its firings. */
export async function untilFired(
  server: Pick<TestServer, 'get'>,
  id: string,
  headers = {},
): Promise<readonly Answer['body'][]> {
  for (;;) {
    const { body } = await server.get(`/v1/triggers/${id}`, headers);
    if (body.firings.some(({ status }: Answer['body']) => status !== 'pending')) return body.firings;
    await pause(20);
  }
}

/** Waits until a run does not work any more, and returns it. */
export async function untilStopped(
  server: Pick<TestServer, 'get'>,
  runId: string,
  headers = {},
): Promise<Answer['body']> {
  for (;;) {
    const { body } = await server.get(`/v1/runs/${runId}`, headers);
    if (body.status !== 'running') return body;
    await pause(20);
  }
}
