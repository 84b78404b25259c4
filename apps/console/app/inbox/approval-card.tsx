import { Check, CheckCheck, Pencil, X } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ApprovalView } from '@ravi/api';
import { approveCallsTool, isUndecided } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import { useApprovals } from '../api/approvals.ts';
import { RiskBadge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-notice.tsx';
import { DenyForm } from './deny-form.tsx';
import { useDraft, useOpenRequests } from './drafts.ts';
import { EditForm } from './edit-form.tsx';
import { EndedNotice } from './ended-draft.tsx';
import { InputCard } from './input-card.tsx';
import { RequestFacts, TimeLeft } from './request-facts.tsx';
import { ShownArguments } from './shown-arguments.tsx';
import { useDecision } from './use-decision.ts';
import { useShortcuts } from './use-shortcuts.ts';
import { WholeArguments } from './whole-arguments.tsx';

/** Props of an {@link ApprovalCard}. */
export interface ApprovalCardProps {
  readonly approval: ApprovalView;
  /** True if the card handles the shortcuts of the page: a approves, r for the run, e edits, d denies. */
  readonly hasShortcuts?: boolean;
}

/** A request that waits for a decision, with its call, its origin, and the actions to decide it. */
function ApprovalCard({ approval, hasShortcuts = false }: ApprovalCardProps) {
  const { tool, risk, summary, description } = approval;
  const [draft, change, forget] = useDraft(approval.id);
  const decision = useDecision(approval, {
    onSend: () => change({ isSent: true }),
    onRefused: () => change({ isSent: false }),
    onDone: forget,
  });
  const card = useRef<HTMLElement>(null);
  const isCritical = risk === 'critical';
  // A set is decided as it is.
  const isSet = tool === approveCallsTool;
  const [isAllShown, setAllShown] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const onAllShown = useCallback(() => setAllShown(true), []);
  const isSettled = useIsSettled(`${approval.id} ${isConfirming}`);
  const isEnded = !isUndecided(approval) && !decision.isPending;
  const isEditing = draft.mode === 'edit' || (isEnded && draft.args !== undefined);
  const isDenying = draft.mode === 'deny' || (isEnded && draft.reason !== '');
  const ended = isEnded ? { onDiscard: forget } : {};

  // The card may have moved under the cursor a moment ago, and one key must not approve a critical call.
  useShortcuts(hasShortcuts && isSettled && !isEnded && draft.mode === 'view', {
    a: () => !isCritical && decide('once'),
    r: () => !isCritical && !isSet && decide('run'),
    e: () => !isSet && change({ mode: 'edit' }),
    d: () => change({ mode: 'deny' }),
  });

  function decide(scope: 'once' | 'run'): void {
    if (!decision.isPending && isAllShown) decision.mutate({ decision: 'approved', scope });
  }

  // A second press confirms a critical call, and a double click or a key that is held down is one press.
  function approve(): void {
    if (isCritical && !isConfirming) return setConfirming(isAllShown);
    if (!isConfirming || isSettled) decide('once');
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
          <TimeLeft approval={approval} />
        </div>
        <h2>{printable(summary ?? description)}</h2>
        {summary !== undefined && <p className="muted">{printable(description)}</p>}
      </header>
      {isEnded && <EndedNotice approval={approval} isSent={draft.isSent === true} />}
      <WholeArguments approval={approval}>
        {({ args, display }) =>
          isEditing ? (
            <EditForm
              tool={tool}
              before={args}
              after={draft.args ?? args}
              isBusy={decision.isPending}
              onChange={(edited) => change({ args: edited })}
              onSubmit={(modifiedArgs) => decision.mutate({ decision: 'modified', modifiedArgs })}
              onBack={back}
              {...ended}
            />
          ) : (
            <ShownArguments approvalId={approval.id} display={display} onAllShown={onAllShown} />
          )
        }
      </WholeArguments>
      <RequestFacts approval={approval} />
      {!isEnded && <ErrorText error={decision.error} />}
      {isDenying && (
        <DenyForm
          reason={draft.reason}
          isBusy={decision.isPending}
          onChange={(reason) => change({ reason })}
          onSubmit={() =>
            decision.mutate({ decision: 'denied', ...(draft.reason === '' ? {} : { reason: draft.reason }) })
          }
          onBack={back}
          {...ended}
        />
      )}
      {draft.mode === 'view' && !isEnded && (
        <div className="approval-actions">
          <Button
            variant="primary"
            icon={Check}
            isBusy={decision.isPending}
            aria-disabled={!isAllShown || (isConfirming && !isSettled)}
            onClick={approve}
          >
            {isConfirming ? 'Yes, run this critical call' : 'Approve'} {hasShortcuts && !isCritical && <kbd>A</kbd>}
          </Button>
          {!isCritical && !isSet && (
            <Button
              icon={CheckCheck}
              isBusy={decision.isPending}
              aria-disabled={!isAllShown}
              onClick={() => decide('run')}
            >
              For this run {hasShortcuts && <kbd>R</kbd>}
            </Button>
          )}
          {!isSet && (
            <Button icon={Pencil} onClick={() => change({ mode: 'edit' })}>
              Edit {hasShortcuts && <kbd>E</kbd>}
            </Button>
          )}
          <Button variant="danger" icon={X} onClick={() => change({ mode: 'deny' })}>
            Deny {hasShortcuts && <kbd>D</kbd>}
          </Button>
        </div>
      )}
    </article>
  );
}

/** Props of {@link ApprovalCards}. */
export interface ApprovalCardsProps {
  /** Selects the requests. */
  readonly isWanted: (approval: ApprovalView) => boolean;
}

/** Cards of the requests that wait for a decision, and of those that ended while their decision was a draft. */
export function ApprovalCards({ isWanted }: ApprovalCardsProps) {
  const { data } = useApprovals();
  const requests = useOpenRequests(data?.items ?? []).filter(isWanted);
  return requests.map((approval) => <RequestCard key={approval.id} approval={approval} />);
}

/** Card of a request: for permission, or for input. */
export function RequestCard(props: ApprovalCardProps) {
  return props.approval.elicitation === undefined ? (
    <ApprovalCard {...props} />
  ) : (
    <InputCard approval={props.approval} />
  );
}

const settleMs = 500;

/** True once what the card asks for has been under the cursor for half a second. */
function useIsSettled(id: string): boolean {
  const [settledId, setSettledId] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettledId(id), settleMs);
    return () => clearTimeout(timer);
  }, [id]);
  return settledId === id;
}
