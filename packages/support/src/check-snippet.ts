import { toolNamePattern } from '@ravi/kernel';
import type { Snippet } from '@ravi/kernel';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value.trim() !== '';
const isToolName: Check = (value) => typeof value === 'string' && toolNamePattern.test(value);

const fields: Readonly<Record<keyof Omit<Snippet, 'version'>, readonly [Check, expected: string]>> = {
  name: [isToolName, `text that matches ${toolNamePattern.source}`],
  principal: [(value) => typeof value === 'string', 'text'],
  description: [isText, 'text'],
  code: [isText, 'text'],
  language: [(value) => value === 'javascript' || value === 'python', '"javascript" or "python"'],
  inputSchema: [
    (value) => value === undefined || (isRecord(value) && value['type'] === 'object'),
    'a JSON Schema of type object',
  ],
  tools: [
    (value) =>
      Array.isArray(value) &&
      value.every((tool) => isRecord(tool) && isToolName(tool['name']) && isText(tool['digest'])),
    'a list of tools by name and digest',
  ],
  createdAt: [(value) => Number.isSafeInteger(value), 'milliseconds since the epoch'],
  sourceRunId: [isText, 'text'],
};

/** Describes what is wrong with an untrusted snippet; `undefined` if it is valid. */
export function problemWithSnippet(snippet: unknown): string | undefined {
  if (!isRecord(snippet)) return 'it is not an object';
  for (const [field, [check, expected]] of Object.entries(fields)) {
    const value = Object.hasOwn(snippet, field) ? snippet[field] : undefined;
    if (!check(value)) return `${field} must be ${expected}`;
  }
  return undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
