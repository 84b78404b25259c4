import { useQuery } from '@tanstack/react-query';
import { Check, CheckCheck, Pencil, X } from 'lucide-react';
import { useRef } from 'react';
import type { ApprovalView } from '@ravi/api';
import type { JsonObject } from '@ravi/kernel';
import { Link } from 'wouter';
import { printable, formatWait } from '@ravi/approval-web/text';
import { approvalQuery } from '../api/approvals.ts';
import { ArgumentsView } from '../forms/arguments-view.tsx';
import { RiskBadge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-notice.tsx';
import { Facts, Moment } from '../ui/facts.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { DenyForm } from './deny-form.tsx';
import { useDraft } from './drafts.ts';
import { EditForm } from './edit-form.tsx';
import { useDecision } from './use-decision.ts';
import { useShortcuts } from './use-shortcuts.ts';
import { useServerTime } from '../api/server-clock.ts';

/** Props of an {@link ApprovalCard}. */
export interface ApprovalCardProps {
  readonly approval: ApprovalView;
  /** True if the card handles the shortcuts of the page: a approves, r for the run, e edits, d denies. */
  readonly hasShortcuts?: boolean;
}

/** A pending request with its call, its origin, and the actions to decide it. */
export function ApprovalCard({ approval, hasShortcuts = false }: ApprovalCardProps) {
  const { tool, risk, summary, description, principal, runId, requestedAt } = approval;
  const [draft, change, forget] = useDraft(approval.id);
  const decision = useDecision(approval, forget);
  const card = useRef<HTMLElement>(null);
  const isRunAllowed = risk !== 'critical';

  useShortcuts(hasShortcuts && draft.mode === 'view', {
    a: () => decide('once'),
    r: () => isRunAllowed && decide('run'),
    e: () => change({ mode: 'edit' }),
    d: () => change({ mode: 'deny' }),
  });

  function decide(scope: 'once' | 'run'): void {
    if (!decision.isPending) decision.mutate({ decision: 'approved', scope });
  }

  function back(): void {
    change({ mode: 'view' });
    card.current?.focus();
  }

  return (
    <article
      className="approval panel"
      aria-label={`${tool}: ${summary ?? description}`}
      aria-busy={decision.isPending}
      tabIndex={-1}
      ref={card}
    >
      <header className="approval-head">
        <div className="approval-tool">
          <code>{printable(tool)}</code>
          <RiskBadge risk={risk} />
          <TimeLeft expiresAt={approval.expiresAt} />
        </div>
        <h2>{printable(summary ?? description)}</h2>
        {summary !== undefined && <p className="muted">{printable(description)}</p>}
      </header>
      <WholeArguments approval={approval}>
        {(args) =>
          draft.mode === 'edit' ? (
            <EditForm
              tool={tool}
              before={args}
              after={draft.args ?? args}
              isBusy={decision.isPending}
              onChange={(edited) => change({ args: edited })}
              onSubmit={(modifiedArgs) => decision.mutate({ decision: 'modified', modifiedArgs })}
              onBack={back}
            />
          ) : (
            <section aria-label="Arguments">
              <ArgumentsView args={args} />
            </section>
          )
        }
      </WholeArguments>
      <Facts
        facts={{
          For: printable(principal),
          Run: <Link href={`/runs/${encodeURIComponent(runId)}`}>{runId.slice(0, 12)}</Link>,
          Asked: <Moment at={requestedAt} />,
        }}
      />
      <ErrorText error={decision.error} />
      {draft.mode === 'deny' && (
        <DenyForm
          reason={draft.reason}
          isBusy={decision.isPending}
          onChange={(reason) => change({ reason })}
          onSubmit={() =>
            decision.mutate({ decision: 'denied', ...(draft.reason === '' ? {} : { reason: draft.reason }) })
          }
          onBack={back}
        />
      )}
      {draft.mode === 'view' && (
        <div className="approval-actions">
          <Button variant="primary" icon={Check} isBusy={decision.isPending} onClick={() => decide('once')}>
            Approve {hasShortcuts && <kbd>A</kbd>}
          </Button>
          {isRunAllowed && (
            <Button icon={CheckCheck} isBusy={decision.isPending} onClick={() => decide('run')}>
              For this run {hasShortcuts && <kbd>R</kbd>}
            </Button>
          )}
          <Button icon={Pencil} onClick={() => change({ mode: 'edit' })}>
            Edit {hasShortcuts && <kbd>E</kbd>}
          </Button>
          <Button variant="danger" icon={X} onClick={() => change({ mode: 'deny' })}>
            Deny {hasShortcuts && <kbd>D</kbd>}
          </Button>
        </div>
      )}
    </article>
  );
}

interface WholeArgumentsProps {
  readonly approval: ApprovalView;
  readonly children: (args: JsonObject) => React.ReactNode;
}

/** Loads the arguments if they are too long for the list. */
function WholeArguments({ approval, children }: WholeArgumentsProps) {
  const query = useQuery({ ...approvalQuery(approval.id), enabled: approval.args === undefined });
  if (approval.args !== undefined) return children(approval.args);
  return <Loaded query={query}>{(whole) => children(whole.approval.args ?? {})}</Loaded>;
}

const urgentMs = 15_000;

/** Time until a request expires, by the server's clock. */
export function TimeLeft({ expiresAt }: { readonly expiresAt: number }) {
  const leftMs = expiresAt - useServerTime();
  return (
    <span className="time-left" data-urgent={leftMs < urgentMs}>
      {leftMs > 0 ? `${formatWait(leftMs)} left` : 'Time is over'}
    </span>
  );
}
