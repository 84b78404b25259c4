import { KernelError } from '@ravi/kernel';
import type { ApprovalRequest, BlobStore } from '@ravi/kernel';
import type { FrameworkRun, GatewayArtifact, GatewayOutcome } from './gateway-types.ts';

/** Returns what the model reads about an outcome, for frameworks that cannot interrupt a call that waits for approval. */
export function outcomeText(outcome: GatewayOutcome): string {
  if (outcome.status !== 'needs-approval') return outcome.result.text;
  const { requests } = outcome;
  const lines = requests.map(({ id, tool, args }) => JSON.stringify({ request: id, tool, args }));
  return `The script waits for approval of ${requests.length === 1 ? 'a call' : `${requests.length} calls`}. Call tool_chain_continue with each of these arguments; do not run the script again:\n${lines.join('\n')}`;
}

/** Returns a line about a request for people: the effect of the call in its tool's words, or its tool and risk. */
export function requestText({ tool, risk, summary }: ApprovalRequest): string {
  return summary === undefined ? `${tool} has risk ${risk}` : `${tool} (${risk}): ${summary}`;
}

/** Reads an artifact that belongs to the conversation of a run. */
export async function readArtifact(
  store: BlobStore | undefined,
  { runId, sessionId = runId, principal = 'local' }: FrameworkRun,
  ref: string,
): Promise<GatewayArtifact> {
  const stat = await store?.stat(ref);
  if (store === undefined || stat === undefined)
    throw new KernelError('E_BLOB_NOT_FOUND', `There is no artifact ${ref}`);
  if (stat.scope.principal !== principal || stat.scope.sessionId !== sessionId) {
    throw new KernelError('E_ARTIFACT_FORBIDDEN', `The artifact ${ref} belongs to another conversation`);
  }
  return { ref, mediaType: stat.mediaType, bytes: await store.resolve(ref) };
}
