import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ApprovalView } from '@ravi/api';
import { RaviApiError } from '@ravi/client';
import { outcomeOf } from '@ravi/approval-web/text';
import { approvalsQuery, decideApproval, withApproval } from '../api/approvals.ts';
import type { DecisionBody } from '../api/approvals.ts';
import { useTell } from '../ui/toasts.tsx';

/** Listeners of a decision. */
export interface DecisionListeners {
  readonly onSend: () => void;
  /** Called when the server has refused the decision. */
  readonly onRefused: () => void;
  /** Called when the server has stored the decision. */
  readonly onDone: () => void;
}

/** Decides a request. It is shown as decided only after the server has confirmed it, or has another decision. */
export function useDecision(
  approval: ApprovalView,
  { onSend, onRefused, onDone }: DecisionListeners,
): UseMutationResult<ApprovalView, Error, DecisionBody> {
  const client = useQueryClient();
  const tell = useTell();

  function settle(decided: ApprovalView): void {
    client.setQueryData(approvalsQuery().queryKey, (list) => list && withApproval(list, decided));
  }

  return useMutation({
    mutationFn: (body: DecisionBody) => decideApproval(approval.id, body),
    onMutate: onSend,
    onSuccess(decided) {
      tell(`${decided.tool}: ${outcomeOf(decided).toLowerCase()}`);
      onDone();
      settle(decided);
    },
    onError(error) {
      if (!(error instanceof RaviApiError)) return;
      onRefused();
      const decided = approvalIn(error);
      if (decided === undefined) return;
      tell(error.message);
      settle(decided);
    },
  });
}

/** Returns the current request of a refusal that has it, for example because another approver was first. */
function approvalIn({ problem }: RaviApiError): ApprovalView | undefined {
  return (problem as { readonly approval?: ApprovalView } | undefined)?.approval;
}
