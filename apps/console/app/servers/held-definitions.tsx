import { Check, X } from 'lucide-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { HeldDefinition } from '@ravi/api';
import { printable } from '@ravi/approval-web/text';
import { ravi } from '../api/client.ts';
import { useHeld, useHoldingServers } from '../api/sources.ts';
import { StatusBadge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-notice.tsx';
import { Facts, Moment } from '../ui/facts.tsx';
import { Loaded } from '../ui/loaded.tsx';

/** Cards of every changed definition that waits for a decision; nothing if there is none. */
export function WaitingDefinitions() {
  const servers = useHoldingServers();
  if (servers.length === 0) return undefined;
  return (
    <section className="held-list" aria-labelledby="held-title">
      <h2 className="section-title" id="held-title">
        Changed tools
      </h2>
      {servers.map(({ name }) => (
        <HeldDefinitions key={name} source={name} isWaiting />
      ))}
    </section>
  );
}

/** Cards of the held definitions of a server. */
export function HeldDefinitions({
  source,
  isWaiting = false,
}: {
  readonly source: string;
  /** True to show only those that wait for a decision. */
  readonly isWaiting?: boolean;
}) {
  const query = useHeld(source);
  return (
    <Loaded query={query} placeholder={undefined}>
      {(held) =>
        held
          .filter(({ state }) => !isWaiting || state === 'changed')
          .map((definition) => <HeldCard key={`${definition.tool} ${definition.digest}`} definition={definition} />)
      }
    </Loaded>
  );
}

/** A held definition with every difference to the accepted one, and the actions to decide about it. */
function HeldCard({ definition }: { readonly definition: HeldDefinition }) {
  const { source, tool, state, digest, changes, acceptedAt, acceptedBy, rejectedBy } = definition;
  const client = useQueryClient();
  const decide = useMutation({
    mutationFn: (decision: 'accept' | 'reject') => ravi.sources.decide(source, { tool, digest, decision }),
    onSettled: () =>
      client.invalidateQueries({
        predicate: ({ queryKey: [first] }) => first === 'sources' || first === 'held' || first === 'tools',
      }),
  });
  return (
    <article className="approval panel" aria-label={`Changed definition of ${tool}`} aria-busy={decide.isPending}>
      <header className="approval-head">
        <div className="approval-tool">
          <code>{printable(tool)}</code>
          <StatusBadge status={state} />
        </div>
        <h3>{explanations[state]}</h3>
      </header>
      {state !== 'unknown' && (
        <section className="diff" aria-label="Differences">
          <h4>Differences to the accepted definition ({changes.length})</h4>
          <dl>
            {changes.map(({ path, before, after }) => (
              <div key={path}>
                <dt>{printable(path)}</dt>
                <dd>
                  {before !== undefined && <del>{printable(before)}</del>}
                  {after !== undefined && <ins>{printable(after)}</ins>}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      <Facts
        facts={{
          Server: printable(source),
          Accepted: acceptedAt === undefined ? undefined : <Moment at={acceptedAt} />,
          By: acceptedAt === undefined ? undefined : printable(acceptedBy ?? 'first use'),
          'Rejected by': rejectedBy === undefined ? undefined : printable(rejectedBy),
        }}
      />
      <ErrorText error={decide.error} />
      {state !== 'unknown' && (
        <div className="approval-actions">
          <Button variant="primary" icon={Check} isBusy={decide.isPending} onClick={() => decide.mutate('accept')}>
            Accept this definition
          </Button>
          {state === 'changed' && (
            <Button variant="danger" icon={X} isBusy={decide.isPending} onClick={() => decide.mutate('reject')}>
              Reject
            </Button>
          )}
        </div>
      )}
    </article>
  );
}

const explanations: Readonly<Record<HeldDefinition['state'], string>> = {
  changed: 'The server changed this tool. No agent can call it until you accept the change.',
  rejected: 'A person rejected this change. The tool stays away until the server takes it back or you accept it.',
  unknown: 'The definition could not be compared, because the state store does not answer.',
};
