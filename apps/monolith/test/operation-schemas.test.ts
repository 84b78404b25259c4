import assert from 'node:assert/strict';
import { operations } from '@ravi/api';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'vitest';
import { bodyValidator, queryValidator } from '../src/http/core/validate.ts';

// The server trusts these schemas, and compiles each when it is first used.
test('the schemas of all operations are valid and compile', () => {
  const checked = new Ajv2020({ strict: true, allowUnionTypes: true });
  let schemas = 0;
  for (const { operation } of operations) {
    for (const schema of [operation.query, operation.body]) {
      if (schema === undefined) continue;
      schemas += 1;
      assert.equal(
        checked.validateSchema(schema),
        true,
        `${operation.method} ${operation.path}: ${checked.errorsText()}`,
      );
    }
    const isRefused = { code: 'E_REQUEST_INVALID' };
    if (operation.query !== undefined) assert.throws(() => queryValidator(operation.query ?? {})('text'), isRefused);
    if (operation.body !== undefined) assert.throws(() => bodyValidator(operation.body ?? {})('text'), isRefused);
  }
  assert.ok(schemas > 20, `${schemas} schemas`);
});
