import type { ApprovalView, RecordedEvent } from '@ravi/api';
import { isKernelError, isUndecided, KernelError } from '@ravi/kernel';
import type { ApprovalHandler, ApprovalRequest, ApprovalDecisionInput } from '@ravi/kernel';
import { commandErrorOf, printError } from './command-error.ts';
import type { Connection } from './connection/connection.ts';
import { visible } from './render/visible.ts';
import type { Terminal } from './terminal.ts';

/** Decides the approvals of a run on this side of the connection. */
export interface ApprovalAnswerer extends Disposable {
  /** Handles an event of the run. Does not wait for decisions. */
  see(event: RecordedEvent): void;
}

/** Creates an answerer that passes each requested approval to `handler`, and withdraws those decided elsewhere. */
export function createApprovalAnswerer(
  client: Connection,
  handler: ApprovalHandler,
  terminal: Terminal,
): ApprovalAnswerer {
  const open = new Map<string, AbortController>();

  async function answer(id: string, signal: AbortSignal): Promise<void> {
    const { approval } = await client.approvals.get(id);
    if (!isUndecided(approval)) return;
    // The digests stay on the server, which binds the decision to them.
    const request: ApprovalRequest = { args: {}, ...approval, argsDigest: '', toolDigest: '' };
    for (let isOpen = true; isOpen && !signal.aborted;) {
      const result = await handler.request(request, { signal }).catch(unlessUnsupported);
      if (result === undefined)
        return terminal.warn(visible(`${approval.tool} asks for input: ravi approvals answer ${id}`));
      isOpen = !signal.aborted && !(await isDecided(id, result));
    }
  }

  /** Returns false if the changed arguments are not valid: the request is still open, so the approver is asked again. */
  async function isDecided(id: string, result: ApprovalDecisionInput): Promise<boolean> {
    try {
      await decide(client, id, result);
      return true;
    } catch (error) {
      const failure = commandErrorOf(error);
      if (failure?.code !== 'E_APPROVAL_EDIT_INVALID') throw error;
      printError(failure, false, terminal);
      return false;
    }
  }

  return {
    see({ type, data }) {
      if (type === 'approval-decided') open.get(data.approval.requestId)?.abort();
      if (type !== 'approval-requested' || open.has(data.requestId)) return;
      const { requestId: id } = data;
      const withdrawing = new AbortController();
      open.set(id, withdrawing);
      answer(id, withdrawing.signal).catch((error: unknown) => {
        const failure = commandErrorOf(error);
        if (failure === undefined) throw error;
        printError(failure, false, terminal);
      });
    },
    [Symbol.dispose]() {
      const reason = new KernelError(
        'E_CANCELLED',
        'This command no longer follows the run. The request stays open on the server.',
      );
      for (const withdrawing of open.values()) withdrawing.abort(reason);
    },
  };
}

// Rules answer no request for input; a person may do so elsewhere.
function unlessUnsupported(error: unknown): undefined {
  if (!isKernelError(error, 'E_UNSUPPORTED')) throw error;
}

/** Sends a decision. @throws KernelError `E_APPROVAL_DECIDED`, `E_APPROVAL_EXPIRED`, `E_APPROVAL_WITHDRAWN`, `E_APPROVAL_UNKNOWN` */
export function decide(
  client: Connection,
  id: string,
  result: ApprovalDecisionInput,
): Promise<{ readonly approval: ApprovalView }> {
  const { decision, reason, modifiedArgs, content, scope } = result;
  const isYes = decision === 'approved' || decision === 'modified';
  return client.approvals.decide(id, {
    decision,
    ...(reason === undefined ? {} : { reason }),
    ...(modifiedArgs === undefined ? {} : { modifiedArgs }),
    ...(content === undefined ? {} : { content }),
    ...(scope === undefined || !isYes ? {} : { scope }),
  });
}
