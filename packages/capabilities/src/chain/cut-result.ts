import type { InvokerSession, ToolInvoker } from '@ravi/invoker';
import { maxBridgeMessageBytes } from '@ravi/kernel';
import type { ChainPolicy, JsonValue, WholeResult, JsonObject } from '@ravi/kernel';
import { limitFailure } from './failure.ts';
import type { ChainFailure } from './failure.ts';

/** Returns the largest value that a script may return. It exceeds `maxResultBytes` only if the whole value can be stored. */
export function maxReturnedBytes({ maxResultBytes }: ChainPolicy, { artifactStore }: ToolInvoker): number {
  return artifactStore === undefined ? maxResultBytes : Math.max(maxResultBytes, maxBridgeMessageBytes);
}

/** A value as the script returned it, with its JSON text. */
interface ScriptValue {
  readonly status: 'ok';
  readonly value?: JsonValue;
  readonly text?: string;
  readonly whole?: WholeResult;
}

/**
 * Cuts a value over `maxResultBytes` to its beginning and stores the whole for the session. Fails with the limit if the
 * whole cannot be stored. Returns a smaller value unchanged.
 */
export async function cutResult<Value extends ScriptValue>(
  result: Value,
  session: InvokerSession,
  { artifactStore: store }: ToolInvoker,
): Promise<Value | ScriptValue | ChainFailure> {
  const { value, text } = result;
  const { policy } = session;
  if (value === undefined || text === undefined || store === undefined) return result;
  const bytes = Buffer.byteLength(text);
  if (bytes <= policy.maxResultBytes) return result;
  try {
    const artifactRef = await session.storeArtifact(text, 'application/json');
    const beginning = cutValue(value, policy.maxResultBytes) ?? null;
    return { status: 'ok', value: beginning, text: JSON.stringify(beginning), whole: { artifactRef, bytes } };
  } catch {
    return limitFailure('result', policy);
  }
}

/** A part of a JSON value and the size of its JSON text in bytes. */
interface Part {
  readonly value: JsonValue;
  readonly bytes: number;
  readonly whole: boolean;
}

/**
 * Returns the beginning of `value` that fits into `maxBytes` of JSON: leading items, leading properties, the start of a
 * text. The result has the same shape and is never broken JSON; `undefined` when nothing fits.
 */
export function cutValue(value: JsonValue, maxBytes: number): JsonValue | undefined {
  return partOf(value, maxBytes)?.value;
}

function partOf(value: JsonValue, maxBytes: number): Part | undefined {
  if (maxBytes < 2) return undefined;
  if (typeof value === 'string') return partOfText(value, maxBytes);
  if (Array.isArray(value)) return partOfList(value, maxBytes);
  if (typeof value === 'object' && value !== null) return partOfObject(value as JsonObject, maxBytes);
  const bytes = jsonBytes(value);
  return bytes > maxBytes ? undefined : { value, bytes, whole: true };
}

function partOfList(items: readonly JsonValue[], maxBytes: number): Part {
  const kept: JsonValue[] = [];
  let bytes = 2;
  for (const item of items) {
    const part = partOf(item, maxBytes - bytes - 1);
    if (part === undefined) return { value: kept, bytes, whole: false };
    kept.push(part.value);
    bytes += part.bytes + 1;
    if (!part.whole) return { value: kept, bytes, whole: false };
  }
  return { value: kept, bytes, whole: true };
}

function partOfObject(object: JsonObject, maxBytes: number): Part {
  const kept: [string, JsonValue][] = [];
  let bytes = 2;
  let whole = true;
  for (const [key, item] of Object.entries(object)) {
    const keyBytes = jsonBytes(key) + 2;
    const part = partOf(item, maxBytes - bytes - keyBytes);
    whole = part?.whole ?? false;
    if (part !== undefined) {
      kept.push([key, part.value]);
      bytes += keyBytes + part.bytes;
    }
    if (!whole) break;
  }
  // Unlike assignment this treats `__proto__` as an ordinary key.
  return { value: Object.fromEntries(kept), bytes, whole };
}

function partOfText(text: string, maxBytes: number): Part | undefined {
  const bytes = text.length <= maxBytes ? jsonBytes(text) : Infinity;
  if (bytes <= maxBytes) return { value: text, bytes, whole: true };
  let most = Math.min(text.length, maxBytes);
  let least = 0;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (jsonBytes(text.slice(0, middle)) <= maxBytes) least = middle;
    else most = middle - 1;
  }
  const start = text.slice(0, least);
  // JSON writes half a surrogate pair as a longer escape.
  const value = start.isWellFormed() || !text.isWellFormed() ? start : start.slice(0, -1);
  return { value, bytes: jsonBytes(value), whole: false };
}

function jsonBytes(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value));
}
