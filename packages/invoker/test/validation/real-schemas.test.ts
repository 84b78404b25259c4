import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { isKernelError } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';
import { sharedDataFile } from '@ravi/testkit';
import { test } from 'vitest';
import { SchemaCache } from '../../src/validation/schema-cache.ts';

interface RealTool {
  readonly name: string;
  readonly server: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

const file = sharedDataFile('toolschemas/mcp-tools.jsonl');

test.skipIf(file === undefined)(
  'the schemas of 3413 real tools compile, except five invalid ones (skipped: file not found)',
  () => {
    const tools = readFileSync(file!, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RealTool);
    assert.equal(tools.length, 3413);
    const cache = new SchemaCache();
    const refused: string[] = [];
    for (const tool of tools) {
      for (const schema of [tool.inputSchema, ...(tool.outputSchema === undefined ? [] : [tool.outputSchema])]) {
        try {
          const { validate } = cache.compile(schema);
          assert.ok(Array.isArray(validate({})));
        } catch (error) {
          assert.ok(isKernelError(error, 'E_TOOL_INVALID'), `${tool.name}: ${String(error)}`);
          refused.push(`${tool.name}: ${error.message.replace('The schema is not valid: ', '')}`);
        }
      }
    }
    assert.deepEqual(refused.toSorted(), [
      'get_owner_gems: properties.type must be object,boolean',
      'get_resource: properties.type.enum must NOT have duplicate items (items ## 6 and 10 are identical)',
      'read_pdf: properties.sources.items.properties.pages.anyOf.0.items.exclusiveMinimum must be number',
      'search_rubygems: properties.type must be object,boolean',
      'store_data: properties.value.type must be equal to one of the allowed values',
    ]);
  },
);
