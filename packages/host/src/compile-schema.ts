import type { JsonSchema } from '@ravi/kernel';
import { Ajv } from 'ajv';
import type { Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describeErrors } from './describe-error.ts';

/** Fills in the schema's defaults and returns what is wrong, in plain words; nothing for a good value. */
export type Check = (value: unknown, place: string) => readonly string[];

const options: Options = { strict: true, allErrors: true, verbose: true, useDefaults: true, validateFormats: false };

/**
 * A check of values against a schema, draft-07 when `$schema` says so and 2020-12 otherwise.
 * @throws Error when it is no valid schema in ajv's strict mode
 */
export function compileSchema(schema: JsonSchema): Check {
  const dialect = schema['$schema'];
  const isDraft7 = typeof dialect === 'string' && dialect.includes('draft-07');
  const validate = new (isDraft7 ? Ajv : Ajv2020)(options).compile(schema);
  return (value, place) => (validate(value) ? [] : describeErrors(validate.errors ?? [], place));
}
