import type { HostileClass } from '../hostile-case.ts';

const refused = (expression: string): string =>
  `const failed = await (async () => ${expression})().catch((error) => error); return [failed.code ?? failed.name]`;

/**
 * A script that starts scripts. The pipeline between script and tools handles it, so these cases
 * have `tools` instead of the attacker's tools, with `tool_chain` and the same tool under the name `harmless`.
 */
export const recursion: HostileClass = {
  name: 'recursion into tool_chain',
  kind: 'escape',
  cases: [
    {
      name: 'by its name',
      code: refused('tools.tool_chain({ code: "return 1" })'),
      value: '["E_TOOL_NOT_CALLABLE"]',
      calls: 1,
    },
    {
      name: 'by an alias',
      code: refused('tools.harmless({ code: "return 1" })'),
      value: '["E_TOOL_NOT_CALLABLE"]',
      calls: 1,
    },
    {
      name: 'by a computed name',
      code: refused('tools[["tool", "chain"].join("_")]({ code: "return 1" })'),
      value: '["E_TOOL_NOT_CALLABLE"]',
      calls: 1,
    },
    {
      name: 'by Reflect',
      code: refused('Reflect.get(tools, "tool_chain")({ code: "return 1" })'),
      value: '["E_TOOL_NOT_CALLABLE"]',
      calls: 1,
    },
    {
      name: 'by apply with another this',
      code: refused('tools.tool_chain.call(globalThis, { code: "return 1" })'),
      value: '["E_TOOL_NOT_CALLABLE"]',
      calls: 1,
    },
    {
      name: 'by safe()',
      code: 'const { status, error } = await tools.tool_chain.safe({ code: "return 1" }); return [status, error.code]',
      value: '["error","E_TOOL_NOT_CALLABLE"]',
      calls: 1,
    },
    {
      name: 'with a script that calls again',
      code: refused('tools.harmless({ code: "return tools.harmless({ code: \'return 1\' })" })'),
      value: '["E_TOOL_NOT_CALLABLE"]',
      calls: 1,
    },
    {
      name: 'with invalid arguments',
      code: refused('tools.tool_chain()'),
      value: '["E_TOOL_NOT_CALLABLE"]',
      calls: 1,
    },
    {
      name: 'with a name in other letters',
      code: refused('tools.Tool_Chain({ code: "return 1" })'),
      value: '["E_TOOL_UNKNOWN"]',
      calls: 1,
    },
    {
      name: 'with a name that only looks the same',
      code: refused('tools["tool_\\u0441hain"]({ code: "return 1" })'),
      value: '["E_TOOL_UNKNOWN"]',
      calls: 1,
    },
    {
      name: 'with a name that ends early',
      code: refused('tools["tool_chain\\n{}"]({ code: "return 1" })'),
      ends: ['ok'],
    },
    {
      name: 'more often than the budget allows',
      code: 'const all = await Promise.allSettled(Array.from({ length: 60 }, () => tools.tool_chain({ code: "return 1" }))); return [...new Set(all.map((one) => one.reason.code))].sort()',
      value: '["E_BUDGET_EXHAUSTED","E_TOOL_NOT_CALLABLE"]',
      calls: 60,
    },
    {
      name: 'through the host object of the prelude',
      code: 'return ["host", "call", "invoke", "session"].filter((name) => { try { return eval("typeof " + name) !== "undefined" } catch { return false } })',
      value: '[]',
      calls: 0,
    },
  ],
};
