import { readFileSync } from 'node:fs';
import { ToolInvoker, Toolbox } from '@ravi/invoker';
import type { JsonObject, Tool } from '@ravi/kernel';
import { sharedDataFile } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { createLineIndex } from '../../src/source/text.ts';
import { checkScript } from '../../src/preflight/check-script.ts';
import { checkedTools } from '../../src/preflight/checked-tools.ts';
import { createTypeChecker } from '../../src/preflight/type-checker.ts';

const file = sharedDataFile('toolschemas/mcp-tools.jsonl');
// Only a few, because compiling a schema takes the invoker milliseconds.
const every = 50;
const samples: readonly unknown[] = ['text', 1, 1.5, true, null, [], ['text', 1], {}, { other: 1 }];

/** Returns arguments of all kinds: none, the required ones with the same value, and an unknown one. */
function* attempts(tool: Tool): Generator<JsonObject> {
  const required = (tool.inputSchema['required'] ?? []) as readonly string[];
  const names = Array.isArray(required) ? required : [];
  yield {};
  for (const value of samples) yield Object.fromEntries(names.map((name) => [name, value])) as JsonObject;
  const known = Object.keys(tool.inputSchema['properties'] ?? {});
  for (const value of samples) yield Object.fromEntries(known.map((name) => [name, value])) as JsonObject;
}

test.skipIf(file === undefined)(
  'arguments that are called wrong for certain are refused by the invoker, for tools of many servers (skipped: their file not found)',
  async () => {
    const lines = readFileSync(file!, 'utf8').trimEnd().split('\n');
    const tools = lines.filter((_, index) => index % every === 0).map((line) => JSON.parse(line) as Tool);
    const checker = createTypeChecker();
    let certain = 0;
    for (const described of tools) {
      const tool: Tool = {
        ...described,
        name: 'tool',
        description: 'A tool',
        risk: 'safe',
        execute: async () => ({ content: [], isError: false }),
      };
      const invoker = new ToolInvoker({ registry: new Toolbox([tool]), policy: { maxScriptCalls: 1_000 } });
      await using session = invoker.openSession();
      const calls = [...attempts(tool)];
      const source = calls.map((args) => `await tools.tool(${JSON.stringify(args)});`).join('\n');
      const { positionOf } = createLineIndex(source);
      const findings = checkScript({ source, tools: checkedTools(source, invoker.registry) }, checker);
      const wrong = new Set(findings.filter((each) => each.isCertain).map(({ offset }) => positionOf(offset).line - 1));
      for (const index of wrong) {
        certain++;
        const args = calls[index];
        const { error } = await invoker.invoke({ name: 'tool', args }, { session, caller: 'chain' });
        expect({ args, schema: tool.inputSchema, code: error?.code }).toMatchObject({ code: 'E_ARGUMENTS_INVALID' });
      }
    }
    expect(certain).toBeGreaterThan(300);
  },
);
