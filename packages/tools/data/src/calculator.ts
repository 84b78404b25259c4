import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { calculate, readNumber } from './calculator/calculate.ts';
import { functionNames } from './calculator/functions.ts';
import { shownNumber } from './calculator/numbers.ts';

const documentation = `Computes an expression with decimal numbers: 0.1 + 0.2 is 0.3. Whole numbers have all their digits up to 1e1000; quotients, roots and
functions are rounded to 64 digits and shown with 40.
Signs: + - * / % ^ ! and brackets. -2^2 is -4, 2^3^2 is 2^9, and a % b has the sign of b.
Constants: pi, tau, e. Functions: ${functionNames.join(', ')}. log takes the number and the base; angles are in radians.
"variables" gives names to numbers: { "expression": "price * 1.19", "variables": { "price": "19.99" } }.`;

/** Creates the tool `calculator`. */
export function createCalculator(): Tool {
  return defineTool({
    name: 'calculator',
    description: 'Computes an arithmetic expression exactly, with functions such as sqrt, round, sum and mean',
    promptHint: 'calculator computes numbers; do not compute in your head.',
    documentation: () => documentation,
    risk: 'safe',
    idempotent: true,
    inputSchema: {
      type: 'object',
      properties: {
        expression: {
          type: 'string',
          minLength: 1,
          maxLength: 2_000,
          description: 'For example "(12.5 + 3) * 2 ^ 10"',
        },
        variables: {
          type: 'object',
          propertyNames: { pattern: '^[A-Za-z_]\\w{0,31}$' },
          additionalProperties: {
            anyOf: [
              { type: 'number' },
              { type: 'string', pattern: '^-?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d{1,4})?$', maxLength: 1_100 },
            ],
          },
          maxProperties: 100,
          description: 'Numbers by name; as text they have all their digits',
        },
      },
      required: ['expression'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        result: { type: 'string', description: 'The number with its digits' },
        value: { type: 'number', description: 'The nearest number of a script; absent if there is none' },
      },
      required: ['result'],
    },
    execute({ expression, variables = {} }) {
      const numbers = new Map(Object.entries(variables).map(([name, value]) => [name, readNumber(String(value))]));
      const exact = calculate(expression, numbers);
      const value = exact.toNumber();
      const result = shownNumber(exact);
      return {
        content: [{ type: 'text', text: result }],
        isError: false,
        structuredContent: { result, ...(Number.isFinite(value) ? { value } : {}) },
      };
    },
  });
}
