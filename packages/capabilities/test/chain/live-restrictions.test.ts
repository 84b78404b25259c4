import { createGuardrail, ReActAgent } from '@ravi/agents';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createScriptedModel } from '@ravi/testkit';
import { afterAll, expect, test } from 'vitest';
import { createToolChainTool } from '../../src/index.ts';
import { freeTool } from './harness.ts';

const sandbox = createIsolatedVmSandbox();
afterAll(() => sandbox[Symbol.asyncDispose]());

const script = `
  const codes = [];
  for (let turn = 0; turn < 3; turn++) {
    await tools.wait_for_turn({ turn });
    codes.push((await tools.write.safe({})).error?.code ?? 'ok');
  }
  return codes.join(' ');`;

test('a restriction of the session applies to a script that is already running, until it is lifted', async () => {
  const turns = [0, 1, 2].map(() => ({ begun: Promise.withResolvers<void>(), go: Promise.withResolvers<string>() }));
  let written = 0;
  const toolbox = new Toolbox([
    freeTool('wait_for_turn', ({ turn }) => {
      turns[Number(turn)]?.begun.resolve();
      return turns[Number(turn)]?.go.promise ?? '';
    }),
    freeTool('write', () => void written++),
  ]);
  const invoker = new ToolInvoker({ registry: toolbox });
  toolbox.add(createToolChainTool({ invoker, sandbox }));
  await using session = invoker.openSession();
  const running = invoker.invoke({ name: 'tool_chain', args: { code: script } }, { session });
  const counts: number[] = [];
  let lift = (): void => {};
  for (const [turn, { begun, go }] of turns.entries()) {
    await begun.promise;
    counts.push(written);
    if (turn === 1) lift = session.narrow(['tool_chain', 'wait_for_turn']);
    if (turn === 2) lift();
    go.resolve('go');
  }
  expect((await running).text).toBe('ok E_TOOL_NOT_ALLOWED ok');
  expect([...counts, written]).toEqual([0, 1, 1, 2]);
});

test('a call guardrail of an agent checks the calls of its scripts; after it has tripped none of them runs', async () => {
  const sent: unknown[] = [];
  const toolbox = new Toolbox([freeTool('send', ({ to }) => void sent.push(to))]);
  const invoker = new ToolInvoker({ registry: toolbox });
  toolbox.add(createToolChainTool({ invoker, sandbox }));
  const code = `
    await tools.send({ to: 'friend' });
    const refused = await tools.send.safe({ to: 'attacker' });
    const further = await tools.send.safe({ to: 'friend' });
    return [refused.error.code, further.error.code].join(' ');`;
  const model = createScriptedModel([{ toolCalls: [{ name: 'tool_chain', arguments: { code } }] }, { text: 'done' }]);
  const rail = createGuardrail({
    name: 'recipients',
    call: ({ args }) => (args['to'] === 'attacker' ? 'a stranger' : undefined),
  });
  const result = await new ReActAgent({ name: 'clerk', model, invoker, middleware: [rail] }).run('go');
  expect(sent).toEqual(['friend']);
  expect(JSON.stringify(result.messages)).toContain('E_GUARDRAIL E_GUARDRAIL');
  expect(result).toMatchObject({ status: 'stopped', reason: 'guardrail', error: { message: 'a stranger' } });
  expect(model.requests).toHaveLength(1);
});
