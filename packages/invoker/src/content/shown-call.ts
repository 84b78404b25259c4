import type { BlobStore, InterceptedArtifact, InterceptedCall, JsonObject } from '@ravi/kernel';
import { decodeUtf8 } from '@ravi/support';
import type { PendingCall } from '../pending-call.ts';
import { replaceAt } from './places.ts';
import type { FilledPlace } from './places.ts';
import { readVerified } from './verified-content.ts';
import { stopUnreadable } from './artifact-stats.ts';
import type { GateStop } from '../error-results.ts';

/**
 * Returns a call as its interceptors see it: with the arguments that will run. Bytes and streams are shown as text if all of
 * them together would fit into `maxArgumentBytes`, and so could have been passed inline; otherwise the reference stays, with
 * its media type and size in `artifacts`. Returns a refusal if the store fails.
 */
export async function shownCall(pending: PendingCall): Promise<InterceptedCall | GateStop> {
  const { content } = pending;
  if (content.length === 0) return { ...factsOf(pending), args: pending.args };
  const opaque = content.filter((place) => place.isOpaque);
  const bytes = opaque.reduce((sum, { stat }) => sum + stat.bytes, 0);
  const isShown = bytes <= pending.session.policy.maxArgumentBytes;
  let args: unknown = pending.args;
  for (const place of opaque) {
    const shown = isShown ? await textOf(pending, place) : { $artifact: place.ref };
    if (typeof shown === 'object' && 'stop' in shown) return shown;
    args = replaceAt(args, place.path, shown);
  }
  const artifacts = content.map((place) => describe(place, isShown || !place.isOpaque));
  return { ...factsOf(pending), args: args as JsonObject, artifacts };
}

/** Returns what interceptors see of a call apart from its arguments. */
export function factsOf({ scope, name: tool, caller, session }: PendingCall): Omit<InterceptedCall, 'args'> {
  const { principal, agent, cwd } = session;
  return {
    ...scope,
    tool,
    caller,
    principal,
    ...(agent === undefined ? {} : { agent }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

async function textOf(pending: PendingCall, { value, stat }: FilledPlace): Promise<string | GateStop> {
  if (value instanceof Uint8Array) return decodeUtf8(value);
  try {
    return decodeUtf8(await readVerified(pending.runtime.artifactStore as BlobStore, stat));
  } catch (error) {
    return stopUnreadable(pending, stat.ref, error);
  }
}

function describe({ path, ref, stat }: FilledPlace, isInArgs: boolean): InterceptedArtifact {
  const { mediaType, bytes, sha256 } = stat;
  return { path, ref, mediaType, bytes, sha256, isInArgs };
}
