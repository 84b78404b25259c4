import type { JsonSchema } from '@ravi/kernel';

/** Arguments that name a place in a file. */
export const placeProperties = {
  path: { type: 'string', description: 'File in the workspace.' },
  line: { type: 'integer', minimum: 1, maximum: 10_000_000, description: 'Line, from 1.' },
  column: { type: 'integer', minimum: 1, maximum: 10_000_000, description: 'Column in characters, from 1.' },
  symbol: {
    type: 'string',
    minLength: 1,
    maxLength: 500,
    description: 'Name as it is in the file, in place of "column": the first one in the file, or in the line.',
  },
} as const;

/** Value of a place in a file. */
export const locationSchema: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'In the workspace; absent for a file outside of it.' },
    outside: { type: 'string', description: 'Name of a file outside of the workspace.' },
    line: { type: 'integer' },
    column: { type: 'integer' },
    endLine: { type: 'integer' },
    endColumn: { type: 'integer' },
    text: { type: 'string', description: 'The line.' },
  },
  required: ['line', 'column'],
};
