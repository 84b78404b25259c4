import type { JsonObject, JsonValue } from '@ravi/kernel';
import type { GatewayScript } from './gateway.ts';
import type { ServerMode } from './offered-tools.ts';

/** Outcome of a direct call, as its script returns it. */
export interface DirectOutcome {
  readonly status: 'ok' | 'error' | 'denied';
  readonly text: string;
  /** Structured value, if the tool gave one. */
  readonly value?: JsonValue;
  readonly error?: { readonly code: string; readonly message: string };
  /** Files that the call made. */
  readonly files: readonly { readonly artifactRef: string }[];
}

const mark = '$direct';

/**
 * Returns the script that makes one call. A call of a client is a script of one line, so that it can pause for approval, survive a
 * restart and be followed like any other.
 */
export function scriptOfCall(name: string, args: JsonObject): GatewayScript {
  // Text, because a key such as __proto__ has another meaning in an object literal.
  const json = JSON.stringify(JSON.stringify(args));
  const call = `const r = await tools[${JSON.stringify(name)}].safe(JSON.parse(${json}));`;
  return {
    code: `${call} const v = r.value === r.text || r.files.length > 0 ? {} : { value: r.value };
return { ${mark}: true, status: r.status, text: r.text, ...v, error: r.error, files: r.files };`,
  };
}

/**
 * Returns the outcome of a direct call from the value of its script; `undefined` for any other value. A script of a client can return
 * what a tool gave it, also a value that imitates an outcome, so the value counts only on a server that makes direct calls.
 */
export function directOutcomeOf(value: JsonValue | undefined, mode: ServerMode): DirectOutcome | undefined {
  if (mode !== 'tools' || !isObject(value)) return undefined;
  const { [mark]: isDirect, status, text, error, files } = value;
  const isOutcome =
    isDirect === true &&
    statuses.includes(status) &&
    typeof text === 'string' &&
    (error === undefined || (isObject(error) && typeof error['code'] === 'string')) &&
    Array.isArray(files) &&
    files.every((file: JsonValue) => isObject(file) && typeof file['artifactRef'] === 'string');
  return isOutcome ? (value as unknown as DirectOutcome) : undefined;
}

const statuses: readonly unknown[] = ['ok', 'error', 'denied'];

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
