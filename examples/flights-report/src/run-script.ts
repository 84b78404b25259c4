import { isUndecided } from '@ravi/kernel';
import type { ApprovalRequest, ApprovalHandler, ChainRunResult } from '@ravi/kernel';
import { createClient, RaviApiError } from '@ravi/client';
import type { Client } from '@ravi/client';

/** Runs a script over HTTP and waits for it. Text says why there is no result. */
export async function runAtOnce(url: string, code: string): Promise<ChainRunResult | string> {
  return orProblem(async () => createClient({ baseUrl: url }).chains.run({ code }));
}

/** Options of {@link runInStore}. */
export interface RunInStoreOptions {
  /** Decides the approvals of the run, unless another approver is faster. */
  readonly approver: ApprovalHandler;
  /** Ends the wait; the run stays in the store. */
  readonly signal: AbortSignal;
}

/**
 * Runs a script as a run that stays in the store, as any user may from the console, and has its requests decided. Text
 * says why there is no result.
 */
export async function runInStore(
  url: string,
  code: string,
  { approver, signal }: RunInStoreOptions,
): Promise<ChainRunResult | string> {
  const client = createClient({ baseUrl: url });
  const run = async (): Promise<ChainRunResult> => {
    const { id } = await client.runs.start({ kind: 'chain', code });
    const open = new Map<string, AbortController>();
    const decisions: Promise<void>[] = [];
    // The server resumes the run as soon as a decision is stored.
    for await (const { type, data } of client.runs.events(id, { signal })) {
      if (type === 'approval-decided') open.get(data.approval.requestId)?.abort();
      if (type !== 'approval-requested' || open.has(data.requestId)) continue;
      const withdrawing = new AbortController();
      open.set(data.requestId, withdrawing);
      decisions.push(decide(client, data.requestId, approver, AbortSignal.any([signal, withdrawing.signal])));
    }
    await Promise.all(decisions);
    const { outcome } = await client.runs.get(id);
    return outcome?.result as unknown as ChainRunResult;
  };
  return orProblem(run, signal);
}

async function decide(client: Client, id: string, approver: ApprovalHandler, signal: AbortSignal): Promise<void> {
  const { approval } = await client.approvals.get(id, { signal });
  if (!isUndecided(approval)) return;
  // The server binds the decision to the digests, which it does not send.
  const request: ApprovalRequest = { args: {}, ...approval, argsDigest: '', toolDigest: '' };
  const { decision, reason, modifiedArgs, scope } = await approver.request(request, { signal });
  if (signal.aborted) return;
  await client.approvals.decide(id, {
    decision,
    ...(reason === undefined ? {} : { reason }),
    ...(modifiedArgs === undefined ? {} : { modifiedArgs }),
    ...(scope === undefined || decision === 'denied' ? {} : { scope }),
  });
}

async function orProblem(work: () => Promise<ChainRunResult>, signal?: AbortSignal): Promise<ChainRunResult | string> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted === true) return 'the server was stopped';
    if (error instanceof RaviApiError) return `HTTP ${error.status}: ${error.message}`;
    throw error;
  }
}
