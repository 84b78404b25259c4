import { Trash2 } from 'lucide-react';
import type { ApprovalView } from '@ravi/api';
import { outcomeOf, printable } from '@ravi/approval-web/text';
import { Button } from '../ui/button.tsx';
import { CopyTextButton } from '../ui/code-view.tsx';

/** Props of an {@link EndedNotice}. */
export interface EndedNoticeProps {
  readonly approval: ApprovalView;
  /** True if the decision was sent and the server's response was lost. */
  readonly isSent: boolean;
}

/** Says how a request ended before the decision of this page was confirmed. */
export function EndedNotice({ approval, isSent }: EndedNoticeProps) {
  return (
    <p className="notice" role="alert">
      {endOf(approval)} {isSent ? 'Your decision was sent, but its response was lost.' : 'Nothing was sent.'} Your draft
      stays here until you discard it.
    </p>
  );
}

function endOf(approval: ApprovalView): string {
  const { status, answer } = approval;
  if (status === 'withdrawn') return 'This request was withdrawn with its run before you decided.';
  if (answer === undefined) return 'This request expired before you decided.';
  return `${printable(answer.approver ?? 'Another approver')} decided this request first: ${outcomeOf(approval).toLowerCase()}.`;
}

/** Props of {@link EndedActions}. */
export interface EndedActionsProps {
  readonly text: string;
  /** Name of the text: `the arguments`. */
  readonly what: string;
  readonly onDiscard: () => void;
}

/** Actions of a draft whose request has ended: its text can be copied, and it can be discarded. */
export function EndedActions({ text, what, onDiscard }: EndedActionsProps) {
  return (
    <div className="approval-actions">
      <CopyTextButton text={text} what={what} />
      <Button variant="quiet" icon={Trash2} onClick={onDiscard}>
        Discard the draft
      </Button>
    </div>
  );
}
