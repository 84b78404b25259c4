import type { InvokerSession, ToolInvoker } from '@ravi/invoker';
import { maxBridgeMessageBytes } from '@ravi/kernel';
import type { ChainPolicy, JsonValue, WholeResult } from '@ravi/kernel';
import { cutValue } from './cut-value.ts';
import { limitFailure } from './failure.ts';
import type { ChainFailure } from './failure.ts';

/** How much a script may hand over: more than its result may have only where the whole can be stored. */
export function maxHandedOver({ maxResultBytes }: ChainPolicy, { artifactStore }: ToolInvoker): number {
  return artifactStore === undefined ? maxResultBytes : Math.max(maxResultBytes, maxBridgeMessageBytes);
}

/** A value as a script returned it, with its JSON text. */
interface ScriptValue {
  readonly status: 'ok';
  readonly value?: JsonValue;
  readonly text?: string;
  readonly whole?: WholeResult;
}

/**
 * A value over `maxResultBytes` cut to its beginning, with the whole stored for the session; any other as it is. Where
 * the whole cannot be stored the run has met its limit.
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
