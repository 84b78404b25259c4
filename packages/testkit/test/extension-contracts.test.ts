import assert from 'node:assert/strict';
import type { Guardrail, HistoryView, Interceptor, RunMiddleware } from '@ravi/kernel';
import { test } from 'vitest';
import type { ContractTest } from '../src/index.ts';
import { guardrailContract } from '../src/guardrail.ts';
import { historyViewContract } from '../src/history-view.ts';
import { interceptorContract } from '../src/interceptor.ts';
import { middlewareContract } from '../src/middleware.ts';
import { failuresOf, runSuite } from './run-suite.ts';

type Case = readonly [register: (run: ContractTest) => void, failing: RegExp | undefined];
const interceptor = (value: unknown) => (run: ContractTest) =>
  interceptorContract(run, () => ({ ...(value as Interceptor) }));
const middleware = (value: unknown) => (run: ContractTest) => middlewareContract(run, () => value as RunMiddleware);
const view = (show: HistoryView['view']) => (run: ContractTest) => historyViewContract(run, () => ({ view: show }));
const guardrail = (value: Partial<Guardrail>) => (run: ContractTest) =>
  guardrailContract(run, () => ({ name: 'g', ...value }), { output: { passes: 'a', trips: 'b' } });
const deny = { action: 'deny', reason: 'no' };

const cases: Readonly<Record<string, Case>> = {
  'an interceptor that denies': [interceptor({ beforeTool: () => deny }), undefined],
  'an interceptor with a misspelled member': [interceptor({ beforTool: () => deny }), /^it has at least one member/],
  'an interceptor without a decision': [
    interceptor({ beforeTool: () => ({}) }),
    /^beforeTool decides about every call/,
  ],
  'an interceptor that changes the call': [
    interceptor({ beforeTool: (call: { args: { x?: number } }) => ((call.args.x = 1), deny) }),
    /^beforeTool decides about every call/,
  ],
  'an interceptor that returns half a result': [
    interceptor({ afterTool: () => ({ status: 'ok' }) }),
    /^afterTool keeps/,
  ],
  'a middleware that passes everything on': [
    middleware({ model: (request: never, next: (asked: never) => unknown) => next(request) }),
    undefined,
  ],
  'a middleware that hides failures': [
    middleware({
      async *model() {
        yield { type: 'finish', reason: 'end', usage: { inputTokens: 0, outputTokens: 0 } };
      },
    }),
    /a failure has one last event/,
  ],
  'a middleware without an end': [middleware({ async *model() {} }), /a text has one last event/],
  'a middleware that swallows exceptions of calls': [
    middleware({ tool: async () => ({ status: 'ok', text: '', files: [] }) }),
    /^tool: every result/,
  ],
  'a guardrail that trips': [guardrail({ output: (text) => (text === 'b' ? 'no' : undefined) }), undefined],
  'a guardrail that never trips': [guardrail({ output: () => undefined }), /^output lets one subject pass/],
  'a guardrail with a check that has no samples': [
    guardrail({ output: (text) => (text === 'b' ? 'no' : undefined), call: () => 'no' }),
    /^it has a name/,
  ],
  'a view of everything': [view((messages) => messages), undefined],
  'a view that parts calls from their results': [view((messages) => messages.slice(-3)), /a valid view at each length/],
  'a view that drops the last message': [view((messages) => messages.slice(0, -2)), /^of 40 turns it shows/],
};

for (const [name, [register, failing]] of Object.entries(cases)) {
  test(`the suites judge ${name}`, async () => {
    const failures = failuresOf(await runSuite(register));
    if (failing === undefined) return assert.deepEqual(failures, []);
    assert.ok(
      failures.some((each) => failing.test(each)),
      `${failing} should fail; these do: ${failures.join('; ')}`,
    );
  });
}
