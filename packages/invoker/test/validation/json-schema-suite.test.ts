import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { JsonSchema } from '@ravi/kernel';
import { test } from 'vitest';
import { SchemaCache } from '../../src/validation/schema-cache.ts';

/** Group of tests of the JSON Schema Test Suite: description, value and whether the value is valid. */
interface Group {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly tests: readonly (readonly [string, unknown, boolean])[];
}

// The required tests of draft-07 and 2020-12 from github.com/json-schema-org/JSON-Schema-Test-Suite (MIT licence, Julian
// Berman), without those that load other documents, name other vocabularies, use patterns that RE2 does not have, or expect
// that draft-07 ignores keywords next to `$ref`.
const file = new URL('../fixtures/json-schema-test-suite.jsonl', import.meta.url);
const groups = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Group);

test('values are valid as the JSON Schema Test Suite says, with and without a list of all problems', () => {
  const wrong: string[] = [];
  let count = 0;
  for (const { name, schema, tests } of groups) {
    const validator = new SchemaCache().compile(schema);
    for (const [description, value, isValid] of tests) {
      count++;
      const found = [validator.validate(value), validator.validateAll(value)];
      if (found.some((problems) => (problems.length === 0) !== isValid)) wrong.push(`${name}: ${description}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(count > 2_000, `only ${count} tests`);
});
