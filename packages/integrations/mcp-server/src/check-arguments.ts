import type { Tool } from '@modelcontextprotocol/server';
import type { JsonObject, JsonValue } from '@ravi/kernel';

type Field = { readonly type?: string; readonly minimum?: number; readonly maximum?: number } & {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly enum?: readonly string[];
};

/** Returns the first mistake in the arguments of a tool of the server itself, whose schemas are flat; `undefined` if there is none. */
export function problemWithArguments(args: JsonObject, { inputSchema }: Pick<Tool, 'inputSchema'>): string | undefined {
  const { properties = {}, required = [] } = inputSchema;
  const known = new Map(Object.entries(properties as Readonly<Record<string, Field>>));
  for (const name of required) if (!Object.hasOwn(args, name)) return `"${name}" is missing`;
  for (const [name, value] of Object.entries(args)) {
    const field = known.get(name);
    if (field === undefined)
      return `"${name.slice(0, 100)}" is not known; the arguments are ${[...known.keys()].join(', ')}`;
    const problem = problemWith(value, field);
    if (problem !== undefined) return `"${name}" ${problem}`;
  }
  return undefined;
}

function problemWith(
  value: JsonValue,
  { type, minimum, maximum, minLength = 0, maxLength = Infinity, enum: choices }: Field,
): string | undefined {
  if (choices !== undefined)
    return choices.includes(value as string) ? undefined : `must be one of ${choices.join(', ')}`;
  if (type === 'string') {
    if (typeof value !== 'string') return 'must be text';
    return value.length < minLength || value.length > maxLength
      ? `must have ${minLength} to ${maxLength} characters`
      : undefined;
  }
  if (!Number.isInteger(value)) return 'must be a whole number';
  const isWithin = (value as number) >= (minimum ?? -Infinity) && (value as number) <= (maximum ?? Infinity);
  return isWithin ? undefined : `must be from ${minimum} to ${maximum ?? 'any number'}`;
}
