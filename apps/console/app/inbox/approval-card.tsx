import { useQuery } from '@tanstack/react-query';
import { Check, CheckCheck, Pencil, X } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ApprovalView } from '@ravi/api';
import type { JsonObject } from '@ravi/kernel';
import { Link } from 'wouter';
import { printable, formatWait } from '@ravi/approval-web/text';
import { approvalQuery } from '../api/approvals.ts';
import { RiskBadge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-notice.tsx';
import { Facts, Moment } from '../ui/facts.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { DenyForm } from './deny-form.tsx';
import { useDraft } from './drafts.ts';
import { EditForm } from './edit-form.tsx';
import { ShownArguments } from './shown-arguments.tsx';
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
  const isCritical = risk === 'critical';
  const [isAllShown, setAllShown] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const onAllShown = useCallback(() => setAllShown(true), []);
  const isSettled = useIsSettled(approval.id);

  // The card may have moved under the cursor a moment ago, and one key must not approve a critical call.
  useShortcuts(hasShortcuts && isSettled && draft.mode === 'view', {
    a: () => !isCritical && decide('once'),
    r: () => !isCritical && decide('run'),
    e: () => change({ mode: 'edit' }),
    d: () => change({ mode: 'deny' }),
  });

  function decide(scope: 'once' | 'run'): void {
    if (!decision.isPending && isAllShown) decision.mutate({ decision: 'approved', scope });
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
      data-settled={isSettled}
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
        {({ args, display }) =>
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
            <ShownArguments approvalId={approval.id} display={display} onAllShown={onAllShown} />
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
          <Button
            variant="primary"
            icon={Check}
            isBusy={decision.isPending}
            aria-disabled={!isAllShown}
            onClick={() => (isCritical && !isConfirming ? setConfirming(isAllShown) : decide('once'))}
          >
            {isConfirming ? 'Yes, run this critical call' : 'Approve'} {hasShortcuts && !isCritical && <kbd>A</kbd>}
          </Button>
          {!isCritical && (
            <Button
              icon={CheckCheck}
              isBusy={decision.isPending}
              aria-disabled={!isAllShown}
              onClick={() => decide('run')}
            >
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
  readonly children: (whole: {
    readonly args: JsonObject;
    readonly display: NonNullable<ApprovalView['display']>;
  }) => React.ReactNode;
}

/** Loads the arguments and their display if they are too long for the list. */
function WholeArguments({ approval, children }: WholeArgumentsProps) {
  const { args, display } = approval;
  const isListed = args !== undefined && display !== undefined;
  const query = useQuery({ ...approvalQuery(approval.id), enabled: !isListed });
  if (isListed) return children({ args, display });
  return (
    <Loaded query={query}>
      {({ approval: whole }) =>
        whole.args !== undefined &&
        whole.display !== undefined &&
        children({ args: whole.args, display: whole.display })
      }
    </Loaded>
  );
}

const settleMs = 500;

/** True once this request has been under the cursor for half a second. */
function useIsSettled(id: string): boolean {
  const [settledId, setSettledId] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettledId(id), settleMs);
    return () => clearTimeout(timer);
  }, [id]);
  return settledId === id;
}

const urgentMs = 15_000;

/** Time until a request expires, by the server's clock. */
export function TimeLeft({ expiresAt }: { readonly expiresAt: number }) {
  const leftMs = expiresAt - useServerTime();
  return (
    <span className="time-left" data-urgent={leftMs < urgentMs}>
      {leftMs > 0 ? `${formatWait(leftMs)} left` : 'Expired'}
    </span>
  );
}
