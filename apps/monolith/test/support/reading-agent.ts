/** Source of a model that calls `read` once and repeats its result. */
const readingModel = `
async function* stream({ messages }) {
  const [result] = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  if (result === undefined) yield { type: 'block', block: { type: 'tool_use', id: 'call_1', name: 'read', arguments: {} } };
  else yield { type: 'block', block: { type: 'text', text: result.content[0].text } };
  yield { type: 'finish', reason: result === undefined ? 'tool-use' : 'end', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'reading', stream });
export default { name: 'reading', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

/** Source of a safe tool that leaves a line in the file of the launches when it begins, and ends once there is a file `go`. */
const readTool = `
import { access, appendFile } from 'node:fs/promises';
import { join } from 'node:path';
const folder = join(import.meta.dirname, '..');
export default {
  name: 'read', description: 'Reads.', risk: 'safe', inputSchema: { type: 'object' },
  async execute(_args, { signal }) {
    await appendFile(join(folder, 'launches.txt'), 'read\\n');
    while (!(await access(join(folder, 'go')).then(() => true, () => false))) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { content: [{ type: 'text', text: 'read at last' }], isError: false };
  },
};`;

/** Configuration of an agent that reads; it survives one crash without progress while it is suspected. */
export const readingConfig = {
  plugins: { modelProvider: [{ use: './model.mjs' }] },
  runs: { maxFruitlessCrashes: 1 },
} as const;

/** Files of an agent that reads. */
export const readingFiles: Readonly<Record<string, string>> = { 'model.mjs': readingModel, 'tools/read.mjs': readTool };
