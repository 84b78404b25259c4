import assert from 'node:assert/strict';
import type { Interceptor, InvocationResult } from '@ravi/kernel';
import { sampleCalls, sampleResults } from './doubles/sample-calls.ts';
import type { ContractTest } from './suite/contract-test.ts';

const points = ['afterTool', 'toolError', 'permissionDenied', 'budgetExceeded', 'toolsDisabled'] as const;
const members: readonly string[] = ['beforeTool', ...points, 'observers'];

/** Registers the suite of the port `interceptor`. `create` makes a new one for each test. */
export function interceptorContract(test: ContractTest, create: () => Interceptor | Promise<Interceptor>): void {
  test('it has at least one member of the port, each of which is a function', async () => {
    const interceptor = (await create()) as Readonly<Record<string, unknown>>;
    const given = members.filter((name) => interceptor[name] !== undefined);
    assert.ok(given.length > 0, `it has none of ${members.join(', ')}`);
    for (const name of given) {
      const functions = name === 'observers' ? Object.values(interceptor[name] as object) : [interceptor[name]];
      for (const each of functions) assert.equal(typeof each, 'function', `${name} is a function`);
    }
  });

  test('beforeTool decides about every call, also a hostile one, and changes none of them', async () => {
    const interceptor = await create();
    // The calls are frozen, so a change throws.
    for (const call of sampleCalls()) {
      const decision = await interceptor.beforeTool?.(call);
      if (decision === undefined) continue;
      assert.ok(['continue', 'modify', 'deny'].includes(decision.action), `unknown decision ${decision.action}`);
      assert.deepEqual(JSON.parse(JSON.stringify(decision)), { ...decision }, 'a decision is plain JSON');
      if (decision.action === 'deny') assert.ok(decision.reason.trim() !== '', 'a denial has a reason');
      if (decision.action === 'modify') assert.ok(isRecord(decision.args), 'changed arguments are an object');
    }
  });

  test('beforeTool decides in the same way about the same call, because it is asked again about edited arguments', async () => {
    const interceptor = await create();
    for (const call of sampleCalls()) {
      assert.deepEqual(await interceptor.beforeTool?.(call), await interceptor.beforeTool?.(call));
    }
  });

  for (const point of points) {
    test(`${point} keeps a result or returns a whole one, and changes nothing that it receives`, async () => {
      const interceptor = await create();
      for (const call of sampleCalls()) {
        for (const result of sampleResults()) {
          const replaced = await interceptor[point]?.(call, result);
          if (replaced !== undefined) checkResult(replaced);
        }
      }
    });
  }

  test('two instances are independent objects', async () => {
    assert.notEqual(await create(), await create());
  });
}

function checkResult(result: InvocationResult): void {
  assert.ok(['ok', 'error', 'denied'].includes(result.status), `unknown status ${result.status}`);
  assert.equal(typeof result.text, 'string');
  assert.ok(Array.isArray(result.files), 'a result has files');
  assert.ok(result.status === 'ok' || typeof result.error?.code === 'string', 'a failure has an error with a code');
  assert.deepEqual(JSON.parse(JSON.stringify(result)), { ...result }, 'a result is plain JSON');
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
