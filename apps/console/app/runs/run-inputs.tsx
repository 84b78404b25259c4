import { useMutation, useQueryClient } from '@tanstack/react-query';
import { SendHorizontal } from 'lucide-react';
import { useId, useState } from 'react';
import { printable } from '@ravi/approval-web/text';
import type { RunDetails } from '@ravi/api';
import { isLive, runQuery } from '../api/queries.ts';
import { ravi } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-notice.tsx';
import { Moment } from '../ui/facts.tsx';

/** Texts that users have sent to the run of an agent, and a field for more while it is live. */
export function RunInputs({ run }: { readonly run: RunDetails }) {
  const client = useQueryClient();
  const id = useId();
  const [text, setText] = useState('');
  const send = useMutation({
    mutationFn: () => ravi.runs.input(run.id, { text }),
    onSuccess: () => setText(''),
    onSettled: () => client.invalidateQueries({ queryKey: runQuery(run.id).queryKey }),
  });
  const { inputs = [] } = run;
  const takesInput = run.definition.kind === 'agent' && isLive(run);
  if (!takesInput && inputs.length === 0) return undefined;
  return (
    <form
      className="questions panel"
      aria-label="Messages to the agent"
      onSubmit={(event) => {
        event.preventDefault();
        if (!send.isPending) send.mutate();
      }}
    >
      {inputs.length > 0 && (
        <ul>
          {inputs.map((input) => (
            <li key={input.id}>
              {printable(input.text)}{' '}
              <span className="muted">
                <Moment at={input.createdAt} />, {input.isRead ? 'read' : isLive(run) ? 'not read yet' : 'not read'}
              </span>
            </li>
          ))}
        </ul>
      )}
      {takesInput && (
        <>
          <label htmlFor={id} className="question-text">
            Message to the agent
          </label>
          <textarea
            id={id}
            rows={2}
            required
            maxLength={100_000}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <ErrorText error={send.error} />
          <div className="approval-actions">
            <Button variant="primary" type="submit" icon={SendHorizontal} isBusy={send.isPending}>
              Send
            </Button>
          </div>
        </>
      )}
    </form>
  );
}
