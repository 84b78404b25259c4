import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ApprovalView } from '@ravi/api';
import { RaviApiError } from '@ravi/client';
import { outcomeOf } from '@ravi/approval-web/text';
import { approvalsQuery, decideApproval, withApproval } from '../api/approvals.ts';
import type { DecisionBody } from '../api/approvals.ts';
import { useTell } from '../ui/toasts.tsx';

/** Decides a request. It is shown as decided only after the server has confirmed it, or has another decision. */
export function useDecision(
  approval: ApprovalView,
  onDone: () => void,
): UseMutationResult<ApprovalView, Error, DecisionBody> {
  const client = useQueryClient();
  const tell = useTell();

  function settle(decided: ApprovalView): void {
    client.setQueryData(approvalsQuery().queryKey, (list) => list && withApproval(list, decided));
    onDone();
  }

  return useMutation({
    mutationFn: (body: DecisionBody) => decideApproval(approval.id, body),
    onSuccess(decided) {
      tell(`${decided.tool}: ${outcomeOf(decided).toLowerCase()}`);
      settle(decided);
    },
    onError(error) {
      const decided = error instanceof RaviApiError ? approvalIn(error) : undefined;
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
