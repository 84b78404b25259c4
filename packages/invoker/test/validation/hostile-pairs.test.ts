import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { JsonObject, JsonSchema } from '@ravi/kernel';
import { hostilePairs, maxBlockMs } from '@ravi/testkit/hostile';
import { test } from 'vitest';
import { SchemaCache } from '../../src/validation/schema-cache.ts';
import { validateArguments } from '../../src/validation/validate-arguments.ts';

const harmless = { type: 'object', properties: { a: { type: 'string' } } };

// The first validation of a process also compiles the validator itself.
validateArguments(new SchemaCache(), harmless, { a: 'x' });

/** Processor time, because other processes may take the processor away at any moment. */
function millisecondsOf(act: () => void): number {
  const before = process.cpuUsage();
  act();
  return process.cpuUsage(before).user / 1_000;
}

function validate(schema: JsonSchema, value: JsonObject, undecided: readonly string[][]): void {
  try {
    validateArguments(new SchemaCache(), schema, value, undecided);
  } catch (error) {
    assert.ok(isKernelError(error, 'E_TOOL_INVALID'), String(error));
    assert.match(error.message, /more than \d+|larger than|longer than|not supported/);
  }
}

test('the table has at least 60 pairs with different names', () => {
  assert.ok(new Set(hostilePairs.map(({ name }) => name)).size >= 60);
});

for (const { name, create } of hostilePairs) {
  test(`is compiled and validated within ${maxBlockMs} ms, or refused with the limit: ${name}`, () => {
    const { schema, value } = create();
    for (const undecided of [[], [['$nowhere']]]) {
      const attempts = [0, 1, 2].map(() => () => millisecondsOf(() => validate(schema, value, undecided)));
      // A garbage collection may fall into one attempt.
      assert.ok(attempts.some((attempt) => attempt() <= maxBlockMs));
    }
  });
}
