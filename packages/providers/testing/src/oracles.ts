import { readFileSync } from 'node:fs';
import { sharedDataFile } from '@ravi/testkit';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createGenerator } from 'ts-json-schema-generator';

/** Returns the problem of a request in a few words; `undefined` if there is none. */
export type Oracle = (body: unknown) => string | undefined;

/** Oracle with its name; `undefined` if its data is missing. */
export type NamedOracle = readonly [name: string, judge: Oracle | undefined];

/** Creates an oracle from a published request schema; `undefined` if the shared data is missing. */
export function specOracle(spec: string, root: string): Oracle | undefined {
  const file = sharedDataFile(`fixtures/specs/${spec}.schema.json`);
  if (file === undefined) return undefined;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')) as object);
  return oracleOf(ajv.compile({ $ref: `urn:oracle:${spec}#/$defs/${root}` }));
}

/**
 * Creates an oracle from a type of a declaration file, such as an official npm package's, converted to a closed schema.
 */
export function typesOracle(path: string, type: string): Oracle {
  const generator = createGenerator({ path, type, skipTypeCheck: true, expose: 'all', additionalProperties: false });
  const schema: object = generator.createSchema(type);
  return oracleOf(new Ajv({ strict: false, validateFormats: false }).compile(schema));
}

/** Creates an oracle of schemas from the meta-schema of JSON Schema 2020-12. */
export function metaSchemaOracle(): Oracle {
  const validate = new Ajv2020({ validateFormats: false }).getSchema('https://json-schema.org/draft/2020-12/schema');
  if (validate === undefined) throw new TypeError('ajv has no meta-schema of 2020-12');
  return oracleOf(validate as ValidateFunction);
}

function oracleOf(validate: ValidateFunction): Oracle {
  return (body) => {
    if (validate(body)) return undefined;
    const deepest = (validate.errors ?? []).toSorted((a, b) => b.instancePath.length - a.instancePath.length);
    return deepest
      .slice(0, 3)
      .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
      .join('; ');
  };
}
