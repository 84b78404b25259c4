import { History } from 'lucide-react';
import type { ApprovalView } from '@ravi/api';
import { Link } from 'wouter';
import { outcomeOf, printable } from '@ravi/approval-web/text';
import { RiskBadge, StatusBadge } from '../ui/badge.tsx';
import { DataTable } from '../ui/data-table.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/loaded.tsx';
import { Moment } from '../ui/facts.tsx';

const columns: readonly Column<ApprovalView>[] = [
  { name: 'Decision', cell: (approval) => <StatusBadge status={endOf(approval)} /> },
  { name: 'Tool', cell: ({ tool }) => <code>{printable(tool)}</code> },
  {
    name: 'Request',
    cell: ({ elicitation, summary, description, answer }) => (
      <>
        {printable(elicitation?.message ?? summary ?? description)}
        {answer?.reason !== undefined && <span className="cell-note">“{printable(answer.reason)}”</span>}
        {answer?.changedArguments !== undefined && (
          <span className="cell-note">changed: {answer.changedArguments.join(', ')}</span>
        )}
      </>
    ),
  },
  { name: 'Risk', isMinor: true, cell: ({ risk }) => <RiskBadge risk={risk} /> },
  { name: 'By', cell: (approval) => printable(approval.answer?.approver ?? outcomeOf(approval).toLowerCase()) },
  {
    name: 'When',
    isMinor: true,
    cell: ({ answer, expiresAt }) => <Moment at={answer?.decidedAt ?? expiresAt} />,
  },
  { name: 'Run', isMinor: true, cell: ({ runId }) => <Link href={`/runs/${encodeURIComponent(runId)}`}>Open</Link> },
];

function endOf({ status, answer }: ApprovalView): string {
  return status === 'withdrawn' ? status : (answer?.decision ?? 'expired');
}

/** Outcomes of the newest requests. */
export function PastDecisions({ approvals }: { readonly approvals: readonly ApprovalView[] }) {
  if (approvals.length === 0) return <EmptyState icon={History} title="Nothing has been decided yet" />;
  return <DataTable label="Decided requests" columns={columns} rows={approvals} keyOf={({ id }) => id} />;
}
