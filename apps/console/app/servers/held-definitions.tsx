import { Check, CheckCheck, X } from 'lucide-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { HeldDefinition } from '@ravi/api';
import { RaviApiError } from '@ravi/client';
import { printable } from '@ravi/approval-web/text';
import { ravi } from '../api/client.ts';
import { isWaiting, useHeld, useHoldingServers } from '../api/sources.ts';
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
        New and changed tools
      </h2>
      {servers.map(({ name }) => (
        <HeldDefinitions key={name} source={name} showsWaiting />
      ))}
    </section>
  );
}

/** Cards of the held definitions of a server. */
export function HeldDefinitions({
  source,
  showsWaiting = false,
}: {
  readonly source: string;
  /** True to show only those that wait for a decision. */
  readonly showsWaiting?: boolean;
}) {
  const query = useHeld(source);
  return (
    <Loaded query={query} placeholder={undefined}>
      {(held) => (
        <>
          <AcceptAll source={source} shown={held.filter(({ state }) => isWaiting(state))} />
          {held
            .filter(({ state }) => !showsWaiting || isWaiting(state))
            .map((definition) => (
              <HeldCard key={`${definition.tool} ${definition.digest}`} definition={definition} />
            ))}
        </>
      )}
    </Loaded>
  );
}

/** Button that accepts the definitions that are shown, each by its digest; one that has changed meanwhile is named and stays held. */
function AcceptAll({ source, shown }: { readonly source: string; readonly shown: readonly HeldDefinition[] }) {
  const refresh = useRefresh();
  const accept = useMutation({
    mutationFn: async (definitions: readonly HeldDefinition[]) => {
      const missed: string[] = [];
      for (const { tool, digest } of definitions) {
        try {
          await ravi.sources.decide(source, { tool, digest, decision: 'accept' });
        } catch (error) {
          if (!isMissed(error)) throw error;
          missed.push(tool);
        }
      }
      return missed;
    },
    onSettled: refresh,
  });
  const { data: missed = [] } = accept;
  if (shown.length < 2 && missed.length === 0 && accept.error === null) return undefined;
  return (
    <div className="accept-all">
      {shown.length > 1 && (
        <Button variant="primary" icon={CheckCheck} isBusy={accept.isPending} onClick={() => accept.mutate(shown)}>
          Accept all {shown.length} of {printable(source)}
        </Button>
      )}
      <ErrorText error={accept.error} />
      {missed.length > 0 && (
        <p role="status">
          Changed or decided meanwhile, not accepted: {missed.map((tool) => printable(tool)).join(', ')}. Look again.
        </p>
      )}
    </div>
  );
}

/** True if the definition that was shown is not the one that is held now. */
function isMissed(error: unknown): boolean {
  return error instanceof RaviApiError && (error.code === 'E_STATE_CONFLICT' || error.code === 'E_TOOL_UNKNOWN');
}

function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return () =>
    client.invalidateQueries({
      predicate: ({ queryKey: [first] }) => first === 'sources' || first === 'held' || first === 'tools',
    });
}

/** A held definition with every difference to the accepted one, and the actions to decide about it. */
function HeldCard({ definition }: { readonly definition: HeldDefinition }) {
  const { source, tool, state, digest, changes, acceptedAt, acceptedBy, rejectedBy } = definition;
  const isFirst = acceptedAt === undefined;
  const refresh = useRefresh();
  const decide = useMutation({
    mutationFn: (decision: 'accept' | 'reject') => ravi.sources.decide(source, { tool, digest, decision }),
    onSettled: refresh,
  });
  return (
    <article
      className="approval panel"
      aria-label={`${isFirst ? 'New' : 'Changed'} definition of ${tool}`}
      aria-busy={decide.isPending}
    >
      <header className="approval-head">
        <div className="approval-tool">
          <code>{printable(tool)}</code>
          <StatusBadge status={state} />
        </div>
        <h3>{explanations[state]}</h3>
      </header>
      {state !== 'unknown' && (
        <section className="diff" aria-label={`Differences of ${tool}`}>
          <h4>
            {isFirst ? 'Parts of the definition' : 'Differences to the accepted definition'} ({changes.length})
          </h4>
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
          {isWaiting(state) && (
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
  new: 'The server added this tool after its tools were accepted. No agent can call it until you accept it.',
  changed: 'The server changed this tool. No agent can call it until you accept the change.',
  rejected: 'A person rejected this change. The tool stays away until the server takes it back or you accept it.',
  unknown: 'The definition could not be compared, because the state store does not answer.',
};
