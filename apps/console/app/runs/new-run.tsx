import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Play, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { api, BodyOf } from '@ravi/api';
import { ravi } from '../api/client.ts';
import { agentsQuery } from '../api/queries.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-notice.tsx';

type Kind = 'agent' | 'chain';

const kinds: readonly { readonly kind: Kind; readonly name: string }[] = [
  { kind: 'agent', name: 'Task for an agent' },
  { kind: 'chain', name: 'Script' },
];

/** Form that starts a run and opens its page. */
export function NewRun() {
  const [isOpen, setOpen] = useState(false);
  const [kind, setKind] = useState<Kind>('agent');
  const [, navigate] = useLocation();
  const { data: agents = [] } = useQuery({ ...agentsQuery(), enabled: isOpen });
  const start = useMutation({
    mutationFn: (body: BodyOf<typeof api.runs.start>) => ravi.runs.start(body),
    onSuccess: ({ id }) => navigate(`/runs/${encodeURIComponent(id)}`),
  });

  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger
        render={
          <Button variant="primary" icon={Plus}>
            New run
          </Button>
        }
      />
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <div className="dialog-head">
            <Dialog.Title>New run</Dialog.Title>
            <Dialog.Close render={<IconButton label="Close" icon={X} />} />
          </div>
          <form
            className="stack"
            onSubmit={(event) => {
              event.preventDefault();
              const form = new FormData(event.currentTarget);
              const [text, agent] = [form.get('text'), form.get('agent')];
              if (typeof text !== 'string') return;
              const named = typeof agent === 'string' ? { agent } : {};
              start.mutate(kind === 'agent' ? { kind, task: text, ...named } : { kind, code: text });
            }}
          >
            <div className="segments" role="group" aria-label="Kind of run">
              {kinds.map((each) => (
                <button
                  key={each.kind}
                  type="button"
                  aria-pressed={kind === each.kind}
                  onClick={() => setKind(each.kind)}
                >
                  {each.name}
                </button>
              ))}
            </div>
            {kind === 'agent' && agents.length > 1 && (
              <label className="field">
                <span className="field-label">Agent</span>
                <select name="agent">
                  {agents.map(({ name }) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </label>
            )}
            <label className="field">
              <span className="field-label">
                {kind === 'agent' ? 'What should it do?' : 'JavaScript or TypeScript'}
              </span>
              <textarea
                key={kind}
                name="text"
                rows={kind === 'agent' ? 4 : 12}
                className={kind === 'chain' ? 'code' : ''}
                required
              />
            </label>
            <ErrorText error={start.error} />
            <div className="dialog-actions">
              <Button variant="primary" type="submit" icon={Play} isBusy={start.isPending}>
                Start
              </Button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
