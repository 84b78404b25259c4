import { readFileSync } from 'node:fs';
import { sharedDataFile } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { toolDeclarations } from '../../src/declarations/tool-declarations.ts';
import type { DescribedTool } from '../../src/declarations/tool-declarations.ts';
import { typeErrors } from './accepts.ts';

const file = sharedDataFile('toolschemas/mcp-tools.jsonl');

/** Splits the tools into sets without duplicate names, as a toolbox holds them. */
function setsOf(tools: readonly DescribedTool[]): readonly (readonly DescribedTool[])[] {
  const sets: Map<string, DescribedTool>[] = [];
  for (const tool of tools) {
    let set = sets.find((candidate) => !candidate.has(tool.name));
    if (set === undefined) sets.push((set = new Map()));
    set.set(tool.name, tool);
  }
  return sets.map((set) => [...set.values()]);
}

test.skipIf(file === undefined)(
  'TypeScript accepts the declarations of 3413 real tools (skipped: their file not found)',
  () => {
    const tools = readFileSync(file!, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as DescribedTool);
    expect(tools).toHaveLength(3413);
    const declared = setsOf(tools).map((set) => toolDeclarations(set));
    expect(typeErrors(declared.map((declaration) => declaration.text))).toBe('');
    expect(declared.flatMap((declaration) => declaration.problems)).toMatchInlineSnapshot(`
      [
        {
          "path": "input #/properties/type",
          "problem": "is not a schema",
          "tool": "get_owner_gems",
        },
        {
          "path": "input #/properties/required",
          "problem": "is not a schema",
          "tool": "get_owner_gems",
        },
        {
          "path": "input #/properties/$schema",
          "problem": "is not a schema",
          "tool": "get_owner_gems",
        },
        {
          "path": "input #/properties/type",
          "problem": "is not a schema",
          "tool": "search_rubygems",
        },
        {
          "path": "input #/properties/required",
          "problem": "is not a schema",
          "tool": "search_rubygems",
        },
        {
          "path": "input #/properties/$schema",
          "problem": "is not a schema",
          "tool": "search_rubygems",
        },
        {
          "path": "input #/properties/value",
          "problem": "has the type "any", which does not exist",
          "tool": "store_data",
        },
      ]
    `);
  },
);
