import { isLocalTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { fillPlaces } from '../content/fill-places.ts';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { checkArguments, unreadable } from './arguments.ts';
import type { GateStop } from '../error-results.ts';

/** Reads the arguments and puts the content of artifacts in place of their refs, so that every later gate judges what will run. */
export function contentGate(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  const stop = unreadable(pending, pending.readOwnArguments());
  if (stop !== undefined) return stop;
  return hasRefs(pending) ? fill(pending, pending.tool as Tool) : pending;
}

/** True if the arguments name artifacts that the tool gets as values. A provider-defined tool gets its arguments as they are. */
export function hasRefs({ artifacts, tool }: PendingCall): boolean {
  return artifacts.length > 0 && isLocalTool(tool);
}

/** Uses `value` as the arguments of the call, and its artifacts as their content. Returns a refusal if that is impossible. */
export async function useArguments(pending: PendingCall, value: unknown): Promise<GateStop | undefined> {
  const stop = unreadable(pending, pending.readArguments(value));
  return stop ?? (hasRefs(pending) ? fillPlaces(pending, pending.tool as Tool) : undefined);
}

async function fill(pending: PendingCall, tool: Tool): Promise<GateOutcome> {
  // Nothing is read for arguments that are invalid anyway, unless an interceptor may still correct them.
  const invalid = pending.runtime.hooks.intercepts ? undefined : checkArguments(pending, pending.artifactPaths);
  return invalid ?? (await fillPlaces(pending, tool)) ?? pending;
}
