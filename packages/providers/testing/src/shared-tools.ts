import { readFileSync } from 'node:fs';
import type { FunctionSpec, JsonSchema, ModelRequest } from '@ravi/kernel';
import { sharedDataFile } from '@ravi/testkit';

/**
 * Returns thousands of real tools from the shared data; `undefined` if it is missing, in which case the test must be
 * skipped with the reason.
 */
export function sharedTools(): readonly FunctionSpec[] | undefined {
  const file = sharedDataFile('toolschemas/mcp-tools.jsonl');
  if (file === undefined) return undefined;
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const tool = JSON.parse(line) as {
        readonly name: string;
        readonly description?: string | null;
        readonly inputSchema: JsonSchema;
      };
      const { name, description, inputSchema: parameters } = tool;
      return { type: 'function', name, description: description ?? '', parameters };
    });
}

/** Returns a request for each tool alone, and requests with a hundred tools each. */
export function requestsOf(tools: readonly FunctionSpec[]): readonly ModelRequest[] {
  const ask = (offered: readonly FunctionSpec[]): ModelRequest => ({
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    tools: offered,
    toolChoice: 'auto',
  });
  const together: ModelRequest[] = [];
  for (let at = 0; at < tools.length; at += 100) together.push(ask(tools.slice(at, at + 100)));
  return [...tools.map((tool) => ask([tool])), ...together];
}
