import { ToolInvoker, Toolbox } from '@ravi/invoker';
import type { AnyTool } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { encode } from 'gpt-tokenizer';
import { afterAll, expect, test } from 'vitest';
import { createToolChainTool } from '../../src/index.ts';
import { toolOverview } from '../../src/discovery/tool-overview.ts';
import { freeTool } from '../chain/harness.ts';
import { realTools, realToolsMissing } from './shared-tools.ts';

const sandbox = createIsolatedVmSandbox();
afterAll(() => sandbox[Symbol.asyncDispose]());

function numbered(count: number, prefix = 'tool'): readonly AnyTool[] {
  return Array.from({ length: count }, (_, number) => ({
    ...freeTool(`${prefix}_${number}`, () => ''),
    description: `Does the work with number ${number}. It has more to say.`,
    inputSchema: { type: 'object', properties: { amount: { type: 'number' }, note: {} }, required: ['amount'] },
  }));
}

test('tools that fit are declared in full, without help about searching', () => {
  const overview = toolOverview(new Toolbox(numbered(5)));
  expect(overview).toContain('tool_4: ToolFunction<{\n    amount: number;');
  expect(overview).toContain('interface ToolFunction');
  expect(overview).not.toContain('tools.search');
});

test('tools that do not fit have a line each, with parameters and the first sentence', () => {
  const overview = toolOverview(new Toolbox(numbered(60)));
  expect(overview).toContain('60 tools:\n- tool_0(amount, note?): Does the work with number 0.\n- tool_1(');
  expect(overview).toContain("await tools.search('words of the task'");
  expect(overview).not.toContain('ToolFunction');
});

test('more tools are listed in shorter lines, then by name, then in groups', () => {
  expect(toolOverview(new Toolbox(numbered(120)))).toContain('\n- tool_0: Does the work with number 0.\n');
  expect(toolOverview(new Toolbox(numbered(300)))).toContain('300 tools:\ntool_0, tool_1, tool_2,');
  const many = [...numbered(900, 'github.issue'), ...numbered(400, 'mcp__mail__send'), ...numbered(300, 'disk')];
  const overview = toolOverview(new Toolbox([...many, freeTool('think', () => '')]));
  expect(overview).toContain(
    '1601 tools, counted by the start of their names:\ngithub.* 900, mcp__mail__* 400, disk_* 300, think',
  );
});

test('groups that do not fit are counted', () => {
  const names = Array.from({ length: 2_000 }, (_, number) => [`s${number}.a`, `s${number}.b`]).flat();
  const overview = toolOverview(new Toolbox(names.map((name) => freeTool(name, () => ''))), 500);
  const [, shown, groups, tools] = /((?:s\d+\.\* 2, )+)and (\d+) more groups with (\d+) tools/.exec(overview) ?? [];
  const listed = shown?.split(', ').length ?? 0;
  expect(listed).toBeGreaterThan(20);
  expect([Number(groups), Number(tools)]).toEqual([2_001 - listed, 4_002 - 2 * listed]);
});

test('deferred tools are not declared but counted by group; the others are still declared', () => {
  const deferred = numbered(100, 'github.issue').map((tool) => ({ ...tool, deferLoading: true }));
  const overview = toolOverview(new Toolbox([...numbered(3), ...deferred]));
  expect(overview).toContain('tool_2: ToolFunction<');
  expect(overview).toContain('100 more tools, found by search only:\ngithub.* 100');
  expect(overview).toContain('tools.search');
});

test('where a tool is named search, the overview says which name finds tools', () => {
  const overview = toolOverview(new Toolbox([...numbered(60), freeTool('search', () => '')]));
  expect(overview).toContain("await tools.$search('words of the task'");
  expect(overview).toContain("await tools.describe('name')");
});

test('an empty registry has an overview too', () => {
  expect(toolOverview(new Toolbox())).toContain('declare const tools');
});

test.each([1, 5, 20, 60, 120, 200, 1_000, 5_000])('%i tools stay within the budget', (count) => {
  const overview = toolOverview(new Toolbox(numbered(count)), 1_000);
  expect(encode(overview).length).toBeLessThanOrEqual(1_000);
});

test.skipIf(realToolsMissing)(
  'with 3413 real tools the description of tool_chain has at most 2500 tokens (skipped: their file not found)',
  () => {
    const toolbox = new Toolbox(realTools());
    toolbox.add(createToolChainTool({ invoker: new ToolInvoker({ registry: toolbox }), sandbox }));
    const [spec] = toolbox.schemas('any').filter(({ name }) => name === 'tool_chain');
    expect(spec).toBeDefined();
    expect(encode(JSON.stringify(spec)).length).toBeLessThanOrEqual(2_500);
    expect(JSON.stringify(spec)).toContain('3413 tools, counted by the start of their names');
  },
);
