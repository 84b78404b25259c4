import type { JsonSchema } from '@ravi/kernel';
import { SchemaCache } from './schema-cache.ts';
import { validateArguments } from './validate-arguments.ts';

/** Says in plain words what is wrong with arguments; `undefined` for nothing. @throws KernelError `E_TOOL_INVALID` for a schema that is none */
export type ArgumentCheck = (schema: JsonSchema, args: unknown) => string | undefined;

/** The check that the invoker makes, for arguments of what is no tool. Compiled schemas are kept. */
export function createArgumentCheck(): ArgumentCheck {
  const schemas = new SchemaCache();
  return (schema, args) => validateArguments(schemas, schema, args);
}
