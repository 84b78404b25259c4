import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const agents = JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../../agents/src/index.ts')).href);

/** The agent delegates its task to `helper`, which asks the user. Each of them ends with the result of its call. */
const model = `
async function* stream({ messages }) {
  const result = messages.at(-1).content.find(({ type }) => type === 'tool_result')?.content[0].text;
  const usage = { inputTokens: 1, outputTokens: 1 };
  if (result !== undefined) {
    yield { type: 'block', block: { type: 'text', text: 'The result: ' + result } };
    yield { type: 'finish', reason: 'end', usage };
    return;
  }
  const isHelper = messages[0].content[0].text === 'Ask the user';
  const [name, input] = isHelper
    ? ['ask_user', { question: 'Which way?', choices: ['Left', 'Right'] }]
    : ['helper', { task: 'Ask the user' }];
  yield { type: 'block', block: { type: 'tool_use', id: 'call_1', name, arguments: input } };
  yield { type: 'finish', reason: 'tool-use', usage };
}
export const provider = { id: 'delegating', stream };
const create = () => provider;
export default { name: 'delegating', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

const helper = `
import { askUserTool, createAgentTool, ReActAgent } from ${agents};
import { provider as model } from '../model.mjs';
export default createAgentTool(new ReActAgent({ name: 'helper', model, tools: [askUserTool] }));
`;

const config = { tools: ['./tools'], plugins: { modelProvider: [{ use: './model.mjs' }] } };

/** Files of a folder whose agent has a sub-agent, `helper`, that asks the user "Which way?". */
export const askingSubAgent: Readonly<Record<string, string>> = {
  'model.mjs': model,
  'tools/helper.mjs': helper,
  'ravi.config.json': JSON.stringify(config),
};
