import assert from 'node:assert/strict';
import type { ApprovalHandler } from '@ravi/kernel';
import { createRecordingHooks } from '@ravi/testkit';
import { test } from 'vitest';
import type { CallerAccess, InvokerSession, ToolFilter } from '../../src/index.ts';
import { createToolRules, HookManager, Toolbox, ToolInvoker } from '../../src/index.ts';
import { recordingTool } from '../support/tools.ts';

const names = ['a', 'b', 'c'];

/** Rules that tests may change while calls wait. */
function createRules(rules: Map<string, ToolFilter>): CallerAccess {
  return { toolsOf: (principal) => rules.get(principal) };
}

function createInvoker(rules: Map<string, ToolFilter>): ToolInvoker {
  return new ToolInvoker({
    registry: new Toolbox(names.map((name) => recordingTool(name))),
    access: createRules(rules),
  });
}

const of = (session: InvokerSession): readonly string[] => names.filter((name) => session.allows(name));

test('a principal calls only the tools that it has, also if a request allows more', async () => {
  const invoker = createInvoker(new Map([['ada', new Set(['a'])]]));
  await using session = invoker.openSession({ principal: 'ada', allowedTools: ['a', 'b'] });
  const refused = await invoker.invoke({ name: 'b', args: {} }, { session });
  assert.deepEqual([refused.status, refused.error?.code], ['error', 'E_TOOL_UNKNOWN']);
  assert.equal((await invoker.invoke({ name: 'a', args: {} }, { session })).status, 'ok');
  await using other = invoker.openSession({ principal: 'bob' });
  assert.deepEqual([of(session), of(other)], [['a'], names]);
});

test('rules that change hold at once for sessions that are open, those with tools of their own included', async () => {
  const rules = new Map<string, ToolFilter>([['ada', new Set(['a', 'b'])]]);
  const invoker = createInvoker(rules);
  await using session = invoker.openSession({ principal: 'ada' });
  await using inside = invoker.openSession({ parent: session, hasOwnTools: true });
  assert.deepEqual(of(inside), ['a', 'b']);
  rules.set('ada', new Set(['b', 'c']));
  assert.deepEqual(
    [of(session), of(inside)],
    [
      ['b', 'c'],
      ['b', 'c'],
    ],
  );
  rules.delete('ada');
  assert.deepEqual(of(inside), names);
});

test('a session inside one of another principal, or of another invoker, has the tools that both have', async () => {
  const invoker = createInvoker(
    new Map([
      ['ada', new Set(['a', 'b'])],
      ['bob', new Set(['b', 'c'])],
    ]),
  );
  const inner = createInvoker(new Map([['ada', new Set(['a', 'c'])]]));
  await using session = invoker.openSession({ principal: 'ada' });
  await using asBob = invoker.openSession({ parent: session, principal: 'bob' });
  await using asAda = inner.openSession({ parent: session });
  assert.deepEqual([of(asBob), of(asAda)], [['b'], ['a']]);
});

test('an invoker that takes the tools of another one applies its own rules to them', async () => {
  const invoker = createInvoker(new Map([['ada', new Set(['a'])]]));
  const adopted = invoker.adopt(new ToolInvoker({ registry: new Toolbox([recordingTool('b')]) }));
  assert.ok(adopted);
  await using session = adopted.openSession({ principal: 'ada' });
  assert.equal((await adopted.invoke({ name: 'b', args: {} }, { session })).error?.code, 'E_TOOL_UNKNOWN');
});

test('the refusal of a tool that its caller may not see is that of an unknown tool; observers and interceptors get the cause', async () => {
  const hooks = new HookManager();
  const recorded = createRecordingHooks();
  recorded.attach(hooks);
  const asked: unknown[] = [];
  hooks.interceptResult('permission-denied', (call, result) => {
    asked.push(result.error?.code);
    return call.args['replace'] === true ? { ...result, text: 'Ask Grace for it' } : undefined;
  });
  const tools = [...names, 'bb'].map((name) => recordingTool(name));
  const access = createRules(new Map([['ada', new Set(['a', 'c'])]]));
  const invoker = new ToolInvoker({ registry: new Toolbox(tools), hooks, access });
  await using session = invoker.openSession({ principal: 'ada' });
  const refusalOf = async (name: string): Promise<string> =>
    JSON.stringify(await invoker.invoke({ name, args: {} }, { session })).replaceAll(name, 'TOOL');
  assert.equal(await refusalOf('bb'), await refusalOf('zz'));
  const denied = recorded.of('tool-denied').map(({ tool, code, shownAs }) => [tool, code, shownAs]);
  assert.deepEqual([denied, asked], [[['bb', 'E_TOOL_NOT_ALLOWED', 'E_TOOL_UNKNOWN']], ['E_TOOL_NOT_ALLOWED']]);
  assert.deepEqual(
    session.trace.map(({ status, errorCode }) => [status, errorCode]),
    [
      ['error', 'E_TOOL_UNKNOWN'],
      ['error', 'E_TOOL_UNKNOWN'],
    ],
  );
  const replaced = await invoker.invoke({ name: 'bb', args: { replace: true } }, { session });
  assert.equal(replaced.text, 'Ask Grace for it');
});

test('an agent whose own list names a tool learns that its caller may not call it; a pattern names no tool', async () => {
  const registry = new Toolbox(names.map((name) => recordingTool(name)));
  const invoker = new ToolInvoker({ registry, access: createRules(new Map([['ada', new Set(['a'])]])) });
  const codeFor = async (allow: readonly string[], deny: readonly string[] = []): Promise<string | undefined> => {
    await using session = invoker.openSession({ principal: 'ada' });
    session.narrow(createToolRules({ allow, deny }, registry), { ofAgent: true });
    return (await invoker.invoke({ name: 'b', args: {} }, { session })).error?.code;
  };
  assert.equal(await codeFor(['a', 'b']), 'E_TOOL_NOT_ALLOWED');
  assert.equal(await codeFor(['*']), 'E_TOOL_UNKNOWN');
  assert.equal(await codeFor(['b'], ['b']), 'E_TOOL_UNKNOWN');
  await using asked = invoker.openSession({ principal: 'ada', allowedTools: ['b'] });
  assert.equal((await invoker.invoke({ name: 'b', args: {} }, { session: asked })).error?.code, 'E_TOOL_UNKNOWN');
});

test('an approval does not outlast the rules: a tool that was taken away while a person decided does not run', async () => {
  const rules = new Map<string, ToolFilter>();
  const tool = recordingTool('a', { risk: 'high' });
  const approvalHandler: ApprovalHandler = {
    request: () => {
      rules.set('ada', new Set());
      return Promise.resolve({ decision: 'approved', approver: 'grace' });
    },
  };
  const invoker = new ToolInvoker({ registry: new Toolbox([tool]), approvalHandler, access: createRules(rules) });
  await using session = invoker.openSession({ principal: 'ada' });
  const result = await invoker.invoke({ name: 'a', args: {} }, { session });
  assert.deepEqual([result.status, result.error?.code, tool.calls], ['denied', 'E_TOOL_NOT_ALLOWED', []]);
});
