import { isLocalTool } from '@ravi/kernel';
import type { AnyTool, BlobStore, EditProblem, JsonObject } from '@ravi/kernel';
import { inspectArguments } from '@ravi/support';
import { problemOfArtifact } from '../content/artifact-stats.ts';
import type { ArtifactOwner } from '../scope/session-artifacts.ts';
import { pointerOf } from '../validation/validate-arguments.ts';

/** Session that makes the call, and the store of its artifacts. */
export interface EditArtifacts extends Pick<ArtifactOwner, 'owns'> {
  readonly store: BlobStore | undefined;
}

const maxProblems = 20;

/**
 * Returns the places of changed arguments that name an artifact that does not exist, belongs to another session or cannot be
 * looked up now. The gate of the call checks again; this check comes before the decision, while the approver can still
 * correct it.
 */
export async function findArtifactProblems(
  edited: JsonObject,
  tool: AnyTool,
  artifacts: EditArtifacts,
): Promise<readonly EditProblem[]> {
  // The sizes are already checked. A provider-defined tool gets its arguments as they are.
  const inspected = inspectArguments(edited, Infinity);
  if ('problem' in inspected || !isLocalTool(tool)) return [];
  const found: EditProblem[] = [];
  const messages = new Map<string, string | undefined>();
  for (const { ref, path } of inspected.artifacts) {
    if (found.length === maxProblems) break;
    if (!messages.has(ref)) messages.set(ref, await problemOf(ref, artifacts));
    const message = messages.get(ref);
    if (message !== undefined) found.push({ pointer: pointerOf(path), message });
  }
  return found;
}

async function problemOf(ref: string, { owns, store }: EditArtifacts): Promise<string | undefined> {
  try {
    return problemOfArtifact(ref, await store?.stat(ref), { owns })?.message;
  } catch {
    // The error is about the store, and may name a host that approvers must not see.
    return `The artifact ${ref.slice(0, 128)} cannot be looked up now. Decide again later`;
  }
}
