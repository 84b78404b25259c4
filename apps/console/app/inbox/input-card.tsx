import { ExternalLink, Send, X } from 'lucide-react';
import type { ApprovalView } from '@ravi/api';
import { RaviApiError } from '@ravi/client';
import { isUndecided } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-notice.tsx';
import { useDraft } from './drafts.ts';
import { EndedActions, EndedNotice } from './ended-draft.tsx';
import { firstValueOf, InputFields } from './input-fields.tsx';
import { RequestFacts, TimeLeft } from './request-facts.tsx';
import { useDecision } from './use-decision.ts';

/** Props of an {@link InputCard}. */
export interface InputCardProps {
  readonly approval: ApprovalView;
}

/** A request for input of a running call: a form to fill in, or a page to visit. It asks for no permission. */
export function InputCard({ approval }: InputCardProps) {
  const { tool, elicitation, form = [] } = approval;
  const [draft, change, forget] = useDraft(approval.id);
  const decision = useDecision(approval, {
    onSend: () => change({ isSent: true }),
    onRefused: () => change({ isSent: false }),
    onDone: forget,
  });
  if (elicitation === undefined) return null;
  const isEnded = !isUndecided(approval) && !decision.isPending;
  const value = draft.args ?? firstValueOf(form);
  const decline = (
    <Button variant="danger" icon={X} onClick={() => decision.mutate({ decision: 'denied' })}>
      Decline
    </Button>
  );

  return (
    <article
      className="approval panel"
      aria-label={`${tool} asks for input`}
      aria-busy={decision.isPending}
      tabIndex={-1}
    >
      <header className="approval-head">
        <div className="approval-tool">
          <code>{printable(tool)}</code>
          <span className="muted">asks for input</span>
          <TimeLeft approval={approval} />
        </div>
        <h2>{printable(elicitation.message)}</h2>
      </header>
      {isEnded && <EndedNotice approval={approval} isSent={draft.isSent === true} />}
      {elicitation.mode === 'url' ? (
        <PageLink url={elicitation.url} />
      ) : (
        <form
          className="approval-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isEnded) decision.mutate({ decision: 'approved', content: value });
          }}
        >
          <InputFields
            fields={form}
            value={value}
            problems={problemsIn(decision.error)}
            onChange={(args: JsonObject) => change({ args })}
          />
          {!isEnded && (
            <div className="approval-actions">
              <Button variant="primary" type="submit" icon={Send} isBusy={decision.isPending}>
                Send answer
              </Button>
              {decline}
            </div>
          )}
        </form>
      )}
      <RequestFacts approval={approval} />
      {!isEnded && <ErrorText error={decision.error} />}
      {isEnded && <EndedActions text={JSON.stringify(value, null, 2)} what="the answer" onDiscard={forget} />}
      {elicitation.mode === 'url' && !isEnded && (
        <div className="approval-actions">
          <Button
            variant="primary"
            isBusy={decision.isPending}
            onClick={() => decision.mutate({ decision: 'approved' })}
          >
            I have done it
          </Button>
          {decline}
        </div>
      )}
    </article>
  );
}

// The host first, because it is what a person can judge. The page gets no way back to this one.
function PageLink({ url }: { readonly url: string }) {
  const { host } = new URL(url);
  return (
    <p>
      <a className="button" href={url} target="_blank" rel="noopener noreferrer">
        <ExternalLink size={16} aria-hidden /> Open {host}
      </a>
      <br />
      <code className="muted">{printable(url)}</code>
    </p>
  );
}

function problemsIn(error: Error | null): ReadonlyMap<string, string> {
  if (!(error instanceof RaviApiError)) return new Map();
  const { problems = [] } = (error.problem ?? {}) as {
    readonly problems?: readonly { readonly pointer: string; readonly message: string }[];
  };
  return new Map(problems.map(({ pointer, message }) => [pointer, message]));
}
