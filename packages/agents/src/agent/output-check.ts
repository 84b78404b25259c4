import { SchemaCache, validateValue } from '@ravi/invoker/internal';
import { isKernelError, isStandardSchema, jsonSchemaOf } from '@ravi/kernel';
import type { JsonSchema, JsonValue, ModelOutput, StandardSchema } from '@ravi/kernel';
import type { AgentOutput } from './agent-options.ts';

/** Value of a final answer, or the problem with it. */
export type CheckedOutput = { readonly value: JsonValue } | { readonly problem: string };

/** Validates the final answers of an agent. */
export interface OutputCheck {
  /** Schema as it is sent to providers. */
  readonly request: ModelOutput;
  readonly retries: number;
  check(text: string): Promise<CheckedOutput>;
}

/** Creates the check for an `output` option. @throws TypeError if a Standard Schema library has no JSON Schema */
export function createOutputCheck({ schema, retries = 2, name, description }: AgentOutput): OutputCheck {
  const jsonSchema = isStandardSchema(schema) ? jsonSchemaOf(schema, 'input') : schema;
  const validate = isStandardSchema(schema) ? byLibrary(schema) : bySchema(schema);
  return {
    retries,
    request: {
      schema: jsonSchema,
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
    },
    async check(text) {
      const value = parse(text);
      return value === undefined ? { problem: 'It is not JSON.' } : validate(value);
    },
  };
}

function bySchema(schema: JsonSchema): (value: JsonValue) => CheckedOutput {
  const cache = new SchemaCache();
  return (value) => {
    try {
      const problem = validateValue(cache, schema, value, 'The answer');
      return problem === undefined ? { value } : { problem };
    } catch (error) {
      if (!isKernelError(error, 'E_TOOL_INVALID')) throw error;
      return { problem: `The output schema is invalid. ${error.message}` };
    }
  };
}

function byLibrary(schema: StandardSchema): (value: JsonValue) => Promise<CheckedOutput> {
  return async (value) => {
    const result = await schema['~standard'].validate(value);
    if (result.issues === undefined) return { value: result.value as JsonValue };
    return { problem: result.issues.map((issue) => issue.message).join('; ') };
  };
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(unfenced(text.trim())) as JsonValue;
  } catch {
    return undefined;
  }
}

const fence = '```';

// Models often fence JSON although it was requested without a fence. A regular expression that skips space would take
// quadratic time.
function unfenced(text: string): string {
  if (!text.startsWith(fence) || !text.endsWith(fence)) return text;
  const inner = text.slice(fence.length, -fence.length);
  const line = inner.indexOf('\n');
  const language = inner.slice(0, Math.max(0, line)).trim();
  return line !== -1 && (language === '' || language === 'json') ? inner.slice(line) : text;
}
