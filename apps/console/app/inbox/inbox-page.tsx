import { InboxIcon } from 'lucide-react';
import { useSearchParams } from 'wouter';
import type { ApprovalView } from '@ravi/api';
import { isUndecided } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import { useApprovals } from '../api/approvals.ts';
import { WaitingDefinitions } from '../servers/held-definitions.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { TabView } from '../ui/tabs.tsx';
import { RiskBadge } from '../ui/badge.tsx';
import { RequestCard } from './approval-card.tsx';
import { TimeLeft } from './request-facts.tsx';
import { useOpenRequests } from './drafts.ts';
import { PastDecisions } from './past-decisions.tsx';
import { useShortcuts } from './use-shortcuts.ts';

/** Page of the requests that wait for a decision and of past decisions. */
export function InboxPage() {
  const query = useApprovals();
  return (
    <>
      <PageHeader title="Inbox" lead="Calls that need your approval before they run." />
      <WaitingDefinitions />
      <Loaded query={query}>
        {({ items }) => {
          const waiting = items.filter(isUndecided);
          const past = items.filter((approval) => !isUndecided(approval));
          return (
            <TabView
              label="Requests"
              panels={[
                { id: 'waiting', name: 'Waiting', count: waiting.length, content: <Waiting listed={items} /> },
                { id: 'decided', name: 'Decided', content: <PastDecisions approvals={past} /> },
              ]}
            />
          );
        }}
      </Loaded>
    </>
  );
}

function Waiting({ listed }: { readonly listed: readonly ApprovalView[] }) {
  const approvals = useOpenRequests(listed).toReversed();
  const [search, setSearch] = useSearchParams();
  const wanted = approvals.findIndex(({ id }) => id === search.get('request'));
  const place = Math.max(0, wanted);
  const selected = approvals[place];

  function select(index: number): void {
    const id = approvals[Math.min(Math.max(0, index), approvals.length - 1)]?.id;
    if (id !== undefined) setSearch({ request: id }, { replace: true });
  }

  useShortcuts(approvals.length > 0, { j: () => select(place + 1), k: () => select(place - 1) });

  if (selected === undefined) {
    return (
      <EmptyState icon={InboxIcon} title="Nothing waits for your decision">
        Requests appear here automatically as soon as a call needs approval.
      </EmptyState>
    );
  }
  return (
    <div className="inbox">
      <div className="inbox-list">
        <ul aria-label="Waiting requests">
          {approvals.map((approval, index) => (
            <li key={approval.id}>
              <button type="button" aria-current={approval === selected} onClick={() => select(index)}>
                <span className="inbox-line">
                  <code>{printable(approval.tool)}</code>
                  <TimeLeft approval={approval} />
                </span>
                <span className="inbox-summary">
                  {printable(approval.elicitation?.message ?? approval.summary ?? approval.description)}
                </span>
                <RiskBadge risk={approval.risk} />
              </button>
            </li>
          ))}
        </ul>
        <p className="inbox-keys muted">
          <kbd>J</kbd> <kbd>K</kbd> next and previous
        </p>
      </div>
      <RequestCard key={selected.id} approval={selected} hasShortcuts />
    </div>
  );
}
