import type { HookCallback, PermissionResult } from '@anthropic-ai/claude-agent-sdk';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { expect, test } from 'vitest';
import { allow, call, createScene, refund, resultsOf } from './scene.ts';
import type { Answer } from './scene.ts';

const script = (code: string): ReturnType<typeof call> => call('tool_chain', { code });

test('rules, modes and hooks of Claude Code do not open the gate', async () => {
  const scene = await createScene([[refund(7)], 'done']);
  const open: HookCallback = async () => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' },
  });

  await scene.run({
    permissionMode: 'dontAsk',
    allowedTools: ['mcp__ravi__refund_order'],
    hooks: { PreToolUse: [{ hooks: [open] }] },
  });

  expect(scene.refunds).toEqual([]);
  expect(resultsOf(scene.model)).toContain('no person to ask');
});

test('a hook that denies a call counts', async () => {
  const scene = await createScene([[call('list_orders')], 'done'], { answer: allow });
  const close: HookCallback = async () => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' },
  });

  await scene.run({ hooks: { PreToolUse: [{ hooks: [close] }] } });

  expect(scene.listed).toBe(0);
});

test('an answer that is not a decision approves nothing', async () => {
  const worthless: readonly (() => unknown)[] = [
    () => null,
    () => true,
    () => ({ behavior: 'yes' }),
    () => ({ behavior: 'allow', updatedInput: { order: 'x' } }),
    () => Promise.reject(new Error('The window is closed')),
  ];
  const calls = worthless.map((_value, order) => refund(order));
  const scene = await createScene([calls, 'done'], {
    answer: ({ input }) => worthless[(input as { readonly order: number }).order]!() as PermissionResult,
  });

  await scene.run();

  expect(scene.refunds).toEqual([]);
  expect(scene.asked).toHaveLength(worthless.length);
  expect(resultsOf(scene.model)).toContain('The window is closed');
});

test('a person who changes the input without returning it changes nothing', async () => {
  const scene = await createScene([[refund(7)], 'done'], {
    answer: ({ input }) => {
      Object.assign(input as object, { order: 99 });
      return { behavior: 'allow' };
    },
  });

  await scene.run();

  expect(scene.refunds).toEqual([7]);
});

test('a call of a script asks with the tool that the script calls', async () => {
  await using sandbox = createVmSandbox({ unsafe: true });
  const code = 'const orders = await tools.list_orders({}); return tools.refund_order({ order: orders[1].order });';
  const scene = await createScene([[script(code)], 'done'], { answer: allow, sandbox });

  await scene.run();

  expect(scene.refunds).toEqual([2]);
  expect(scene.asked).toMatchObject([{ tool: 'mcp__ravi__refund_order', input: { order: 2 } }]);
});

test('parallel calls of a script are asked at the same time, and each has its own decision', async () => {
  await using sandbox = createVmSandbox({ unsafe: true });
  const both = Promise.withResolvers<void>();
  let count = 0;
  const answer: Answer = async ({ input }) => {
    if (++count === 2) both.resolve();
    await both.promise;
    return (input as { order: number }).order === 1 ? { behavior: 'allow' } : { behavior: 'deny', message: 'No' };
  };
  const code =
    'const all = await Promise.all([1, 2].map((order) => tools.refund_order.safe({ order }))); return all.map(({ status }) => status);';
  const scene = await createScene([[script(code)], 'done'], { answer, sandbox });

  await scene.run();

  expect(scene.refunds).toEqual([1]);
  expect(resultsOf(scene.model)).toContain('denied');
});

test('the call of a sub-agent in the background asks in the name of its agent', async () => {
  const scene = await createScene(
    ({ tools = [], messages }) => {
      const last = JSON.stringify(messages.at(-1));
      if (tools.some(({ name }) => name === 'Agent')) {
        const input = { description: 'Work', prompt: 'Refund order 9', subagent_type: 'worker' };
        return messages.length === 1 ? [{ id: 'toolu_agent', name: 'Agent', input }] : 'done';
      }
      return last.includes('tool_result') ? 'refunded' : [refund(9)];
    },
    { answer: allow },
  );

  const messages = await scene.run({
    tools: ['Agent'],
    agents: { worker: { description: 'Works', prompt: 'You work', tools: ['mcp__ravi__refund_order'] } },
  });

  expect(scene.refunds).toEqual([9]);
  expect(scene.asked).toMatchObject([{ tool: 'mcp__ravi__refund_order', options: { agentID: expect.any(String) } }]);
  expect(messages).toContainEqual(expect.objectContaining({ subtype: 'task_started', is_backgrounded: true }));
});

test('a resumed session asks again for a call that was never decided', async () => {
  const controller = new AbortController();
  const answers: Answer[] = [
    () => {
      controller.abort();
      return new Promise<never>(() => undefined);
    },
    allow,
  ];
  const scene = await createScene(
    ({ messages }) => {
      const last = JSON.stringify(messages.at(-1));
      if (last.includes('Again')) return [refund(7, 'toolu_again')];
      return last.includes('tool_result') ? 'done' : [refund(7)];
    },
    { answer: (asked) => answers.shift()!(asked) },
  );
  expect(await scene.run({ abortController: controller }).catch((error: unknown) => error)).toBeInstanceOf(Error);
  expect(scene.refunds).toEqual([]);

  await scene.run({ continue: true }, {}, 'Again');

  expect(scene.refunds).toEqual([7]);
  expect(scene.asked).toHaveLength(2);
});
