import assert from 'node:assert/strict';
import { Toolbox } from '@ravi/invoker';
import { defineTool } from '@ravi/kernel';
import type { Kit, Tool, ToolSkill } from '@ravi/kernel';
import { createScriptedModel } from '@ravi/testkit';
import { test } from 'vitest';
import { infoTool, ReActAgent } from '../../src/index.ts';

const tool = (name: string, more: Partial<Tool> = {}): Tool =>
  defineTool({ name, description: `Does ${name}.`, inputSchema: { type: 'object' }, execute: () => name, ...more });

const kit: Kit = {
  name: 'release',
  goal: 'Publish.',
  needs: [{ any: ['test'] }, { any: ['git_*'], purpose: 'version control' }],
  steps: ['Test\nall.', 'Tag.'],
  version: '1.0.0',
};
const advice: ToolSkill = { tool: 'test', tips: ['Twice.'], version: '1.0.0' };

test('a kit is in the prompt from the step in which each of its needs has a tool, until one has none', async () => {
  const toolbox: Toolbox = new Toolbox([
    tool('test'),
    tool('grow', {
      execute: async () => {
        for (let index = 0; index < 10; index++) toolbox.add(tool(`git_${index}`));
        return { content: [], isError: false };
      },
    }),
    tool('shrink', {
      execute: async () => {
        toolbox.remove('test');
        return { content: [], isError: false };
      },
    }),
  ]);
  const model = createScriptedModel([
    { toolCalls: [{ name: 'grow' }] },
    { toolCalls: [{ name: 'shrink' }] },
    { text: 'ok' },
  ]);
  const policy = { maxRiskUnapproved: 'high' } as const;
  await new ReActAgent({ name: 'clerk', model, tools: toolbox, kits: [kit], toolSkills: [advice], policy }).run('go');
  const ofTool = '## Advice on test\n\nTips:\n- Twice.';
  assert.deepEqual(
    model.requests.map(({ system }) => system),
    [
      ofTool,
      `## Kit: release\n\nGoal: Publish.\nTool: test\nTools for version control: git_0, git_1, git_2, git_3, git_4, git_5, git_6, git_7 and 2 more\n\nSteps:\n1. Test all.\n2. Tag.\n\n${ofTool}`,
      undefined,
    ],
  );
});

test('the advice on a deferred tool is in its documentation, and in the prompt once the tool is declared', async () => {
  const model = createScriptedModel([{ toolCalls: [{ name: 'info', arguments: { tool: 'test' } }] }, { text: 'ok' }]);
  const tools = [tool('test', { deferLoading: true }), infoTool];
  const result = await new ReActAgent({ name: 'clerk', model, tools, toolSkills: [advice] }).run('go');
  assert.match(JSON.stringify(result.messages), /Does test\..*Arguments: .*## Advice on test\\n\\nTips:\\n- Twice\./);
  const [before, after] = model.requests.map(({ system }) => system);
  assert.deepEqual([before, after], [undefined, '## Advice on test\n\nTips:\n- Twice.']);
});
