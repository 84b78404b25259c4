import { approveCallsTool } from '@ravi/kernel';
import type { ApprovalRequest } from '@ravi/kernel';

/** Parsed input of the approver. */
export type Answer =
  | { readonly type: 'approve'; readonly scope: 'once' | 'run' }
  | { readonly type: 'deny'; readonly reason?: string }
  | { readonly type: 'edit' }
  | { readonly type: 'view' }
  | { readonly type: 'unclear'; readonly hint: string };

/** Request that an answer decides. */
type Asked = Pick<ApprovalRequest, 'tool' | 'risk'>;

/**
 * The answers that {@link parseAnswer} takes, as a sentence. A critical call takes a whole word, and a decision every time; a set of calls
 * is decided as it is.
 */
export function answerChoices({ tool, risk }: Asked): string {
  if (tool === approveCallsTool) return 'Answer y (yes, all of these calls), n [reason] or v (view all calls).';
  const yes = risk === 'critical' ? 'approve (yes)' : 'y (yes), r (yes for this run)';
  return `Answer ${yes}, n [reason], e (edit arguments) or v (view all arguments).`;
}

/** Reads an answer strictly: nothing but a clear yes approves. */
export function parseAnswer(line: string, asked: Asked): Answer {
  const { tool, risk } = asked;
  const isSet = tool === approveCallsTool;
  const [, word = '', rest = ''] = /^\s*(\S*)\s*([^]*?)\s*$/.exec(line) ?? [];
  const answer = word.toLowerCase();
  if (answer === 'n' || answer === 'no') return rest === '' ? { type: 'deny' } : { type: 'deny', reason: rest };
  if (rest === '') {
    const isYes = risk === 'critical' ? answer === 'approve' : answer === 'y' || answer === 'yes';
    if (isYes) return { type: 'approve', scope: 'once' };
    if (answer === 'r' && !isSet && risk !== 'critical') return { type: 'approve', scope: 'run' };
    if (answer === 'e' && !isSet) return { type: 'edit' };
    if (answer === 'v') return { type: 'view' };
  }
  return { type: 'unclear', hint: answerChoices(asked) };
}
