import { isKernelError } from '@ravi/kernel';
import type { ApprovalHandler, ApprovalRequest, ApprovalDecisionInput } from '@ravi/kernel';
import type { ApprovalAnswer, RunEvent } from './client/answers.ts';
import { pathTo } from './client/client.ts';
import type { Client } from './client/client.ts';
import { tellError } from './tell-error.ts';
import type { Terminal } from './terminal.ts';

/** Decides the questions of a run from this side of the connection. */
export interface ApprovalAnswerer extends Disposable {
  /** Takes notice of an event of the run; questions are asked beside it. */
  see(event: RunEvent): void;
}

/** What events tell of a question and of its answer. */
interface Told {
  readonly requestId?: string;
  readonly approval?: { readonly requestId: string };
}

/** Has `handler` decide each question that the events of a run tell of, and withdraws those that somebody else decided. */
export function createApprovalAnswerer(client: Client, handler: ApprovalHandler, terminal: Terminal): ApprovalAnswerer {
  const open = new Map<string, AbortController>();

  async function answer(id: string, signal: AbortSignal): Promise<void> {
    const { approval } = await client.get<ApprovalAnswer>(pathTo('/v1/approvals', id));
    if (approval.status !== 'pending') return;
    // The digests stay on the server, which binds the decision to them.
    const request: ApprovalRequest = { args: {}, ...approval, argsDigest: '', toolDigest: '' };
    const result = await handler.request(request, { signal });
    if (!signal.aborted) await decide(client, id, result);
  }

  return {
    see({ type, data }) {
      const { requestId: id = '', approval } = data as Told;
      if (type === 'approval-decided') open.get(approval?.requestId ?? '')?.abort();
      if (type !== 'approval-requested' || open.has(id)) return;
      const withdrawing = new AbortController();
      open.set(id, withdrawing);
      answer(id, withdrawing.signal).catch((error: unknown) => {
        if (!isKernelError(error)) throw error;
        tellError(error, false, terminal);
      });
    },
    [Symbol.dispose]() {
      for (const withdrawing of open.values()) withdrawing.abort();
    },
  };
}

/** Sends a decision. @throws KernelError `E_APPROVAL_DECIDED`, `E_APPROVAL_EXPIRED`, `E_APPROVAL_UNKNOWN` */
export function decide(client: Client, id: string, result: ApprovalDecisionInput): Promise<ApprovalAnswer> {
  const { decision, reason, modifiedArgs, scope } = result;
  const isYes = decision === 'approved' || decision === 'modified';
  return client.send('POST', pathTo('/v1/approvals', id, '/decision'), {
    decision,
    ...(reason === undefined ? {} : { reason }),
    ...(modifiedArgs === undefined ? {} : { modifiedArgs }),
    ...(scope === undefined || !isYes ? {} : { scope }),
  });
}
