import type { Ports } from '@ravi/kernel';
import type { ExtensionPort } from './config.ts';

/** Members of which a plugin of these ports has at least one. The types keep the names in step with the kernel. */
const members: { readonly [Port in ExtensionPort]: readonly (keyof Ports[Port])[] } = {
  interceptor: [
    'beforeTool',
    'afterTool',
    'toolError',
    'permissionDenied',
    'budgetExceeded',
    'toolsDisabled',
    'observers',
  ],
  middleware: ['step', 'model', 'tool', 'guard'],
  guardrail: ['input', 'output', 'call'],
  historyView: ['view'],
};

/**
 * Returns what is wrong with a value of one of these ports; `undefined` for another port. All members are optional, so a
 * misspelled one would have no effect without this check.
 */
export function extensionProblem(port: string, value: object): string | undefined {
  if (!Object.hasOwn(members, port)) return undefined;
  const known: readonly string[] = members[port as ExtensionPort];
  const given = known.filter((name) => (value as Readonly<Record<string, unknown>>)[name] !== undefined);
  if (given.length === 0) return `has no member ${known.join(', ')}`;
  const wrong = given.find((name) => !isUsable(name, (value as Readonly<Record<string, unknown>>)[name]));
  if (wrong !== undefined) return `has a member "${wrong}" that is not a function`;
  const { name } = value as { readonly name?: unknown };
  if (port === 'guardrail' && (typeof name !== 'string' || name === '')) return 'has no name for events and logs';
  return undefined;
}

function isUsable(name: string, value: unknown): boolean {
  if (name !== 'observers') return typeof value === 'function';
  return (
    typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'function')
  );
}
