import { readFileSync } from 'node:fs';
import type { FunctionSpec, JsonSchema, ModelRequest } from '@ravi/kernel';
import { sharedDataFile } from '@ravi/testkit';

/** Thousands of real tools from the shared data; `undefined` when that is not there: skip the test then, and say so. */
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

/** A request for every tool alone, and requests that hold all of them in hundreds. */
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
