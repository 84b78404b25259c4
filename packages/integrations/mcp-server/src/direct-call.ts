import type { JsonObject, JsonValue } from '@ravi/kernel';
import type { GatewayScript } from './gateway.ts';

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

// A script of the client that returns the same is shown the same way.
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

/** Returns the outcome of a direct call from the value of its script; `undefined` for the value of any other script. */
export function directOutcomeOf(value: JsonValue | undefined): DirectOutcome | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { [mark]: isDirect, text, files } = value as JsonObject;
  const isOutcome = isDirect === true && typeof text === 'string' && Array.isArray(files);
  return isOutcome ? (value as unknown as DirectOutcome) : undefined;
}
