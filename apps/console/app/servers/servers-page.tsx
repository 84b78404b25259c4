import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { LogIn, LogOut, PlugZap, RefreshCw } from 'lucide-react';
import type { SourceSummary } from '@ravi/api';
import { useEffect, useRef } from 'react';
import { Link, useSearchParams } from 'wouter';
import { printable } from '@ravi/approval-web/text';
import { useServerRights } from '../api/caller.ts';
import { ravi } from '../api/client.ts';
import { serversQuery } from '../api/sources.ts';
import { RiskBadge, StatusBadge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { ErrorText } from '../ui/error-notice.tsx';
import { Facts } from '../ui/facts.tsx';
import { formatCount } from '../ui/format.ts';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { HeldDefinitions } from './held-definitions.tsx';
import { Workspaces } from './workspaces.tsx';

/** Page of the servers whose tools agents can call. */
export function ServersPage() {
  const query = useQuery(serversQuery());
  const [search] = useSearchParams();
  // A call that waits for a sign-in links to the server that it needs.
  const wanted = search.get('signIn');
  return (
    <>
      <PageHeader title="Servers" lead="Programs that bring tools, such as MCP servers." />
      <Loaded query={query}>
        {(servers) =>
          servers.length === 0 ? (
            <EmptyState icon={PlugZap} title="No server is configured">
              Add one and restart: <code>ravi mcp add files -- npx -y @modelcontextprotocol/server-filesystem .</code>
            </EmptyState>
          ) : (
            <>
              {wanted !== null && servers.every(({ name }) => name !== wanted) && (
                <p className="notice">There is no server {printable(wanted)}.</p>
              )}
              {servers.map((server) => (
                <ServerCard key={server.name} server={server} isWanted={server.name === wanted} />
              ))}
            </>
          )
        }
      </Loaded>
      <Workspaces />
    </>
  );
}

interface ServerCardProps {
  readonly server: SourceSummary;
  /** True if a call waits until the caller has signed in here. */
  readonly isWanted: boolean;
}

function ServerCard({ server, isWanted }: ServerCardProps) {
  const { name, state, tools, place, program, protocol, isTrusted, message, signIn, failures = [] } = server;
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isWanted) card.current?.scrollIntoView({ block: 'center' });
  }, [isWanted]);
  const { decides } = useServerRights();
  const held = tools.filter((tool) => tool.held !== undefined);
  return (
    <section className="server panel" aria-label={name} ref={card}>
      <div className="panel-head">
        <h2 className="panel-title">
          {printable(name)} <StatusBadge status={state} />
        </h2>
        <ServerActions server={server} />
      </div>
      {isWanted && signIn !== undefined && (
        <p className="notice" role="status">
          {signIn.isSignedIn
            ? 'You are signed in here. The call that waited continues.'
            : 'A call waits until you have signed in here. It continues then.'}
        </p>
      )}
      {state === 'sign-in' && signIn?.isSignedIn === true && message === undefined && (
        <p className="muted">Its tools are listed once an approver has signed in too.</p>
      )}
      {message !== undefined && <p className="notice">{printable(message)}</p>}
      <Facts
        facts={{
          Place: place === undefined ? undefined : <code>{printable(place)}</code>,
          Program: program === undefined ? undefined : printable(`${program.name} ${program.version}`),
          Protocol: protocol === undefined ? undefined : printable(protocol),
          Trust:
            isTrusted === undefined
              ? undefined
              : isTrusted
                ? 'what it says about risk is believed'
                : 'what it says about risk is not believed',
        }}
      />
      {held.length > 0 && decides && <HeldDefinitions source={name} />}
      {held.length > 0 && !decides && <p className="muted">{heldText(held.length)}</p>}
      <Disclosure summary={`${formatCount(tools.length)} tools`}>{() => <ServerTools tools={tools} />}</Disclosure>
      {failures.length > 0 && (
        <Disclosure summary={`${formatCount(failures.length)} problems`}>
          {() => (
            <ul className="server-tools">
              {failures.map(({ from, message: reason }) => (
                <li key={`${from} ${reason}`}>
                  <code>{printable(from)}</code> {printable(reason)}
                </li>
              ))}
            </ul>
          )}
        </Disclosure>
      )}
    </section>
  );
}

function heldText(count: number): string {
  return count === 1
    ? 'One new or changed tool waits for an approver.'
    : `${count} new or changed tools wait for an approver.`;
}

function ServerTools({ tools }: { readonly tools: SourceSummary['tools'] }) {
  return (
    <ul className="server-tools">
      {tools.map(({ name, risk, held }) => (
        <li key={name}>
          {held === undefined ? (
            <Link href={`/tools/${encodeURIComponent(name)}`}>
              <code>{printable(name)}</code>
            </Link>
          ) : (
            <code>{printable(name)}</code>
          )}{' '}
          {held === undefined ? risk !== undefined && <RiskBadge risk={risk} /> : <StatusBadge status={held} />}
        </li>
      ))}
    </ul>
  );
}

function ServerActions({ server: { name, signIn } }: { readonly server: SourceSummary }) {
  const client = useQueryClient();
  const { reconnects } = useServerRights();
  const onSettled = () => client.invalidateQueries({ queryKey: ['sources'] });
  const reconnect = useMutation({ mutationFn: () => ravi.sources.reconnect(name), onSettled });
  const enter = useMutation({
    mutationFn: async () => location.assign(safeAddress((await ravi.sources.signIn(name)).url)),
  });
  const leave = useMutation({ mutationFn: () => ravi.sources.signOut(name), onSettled });
  return (
    <div className="server-actions">
      {signIn?.isSignedIn === false && (
        <Button variant="primary" icon={LogIn} isBusy={enter.isPending} onClick={() => enter.mutate()}>
          Sign in
        </Button>
      )}
      {signIn?.isSignedIn === true && (
        <Button icon={LogOut} isBusy={leave.isPending} onClick={() => leave.mutate()}>
          Sign out
        </Button>
      )}
      {reconnects && (
        <Button icon={RefreshCw} isBusy={reconnect.isPending} onClick={() => reconnect.mutate()}>
          Reconnect
        </Button>
      )}
      <ErrorText error={enter.error ?? leave.error ?? reconnect.error} />
    </div>
  );
}

const loopback = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/;

/** Returns an address that a browser may open for a sign-in. @throws Error unless it is HTTPS, or a page of this machine */
function safeAddress(address: string): string {
  const url = URL.parse(address);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.test(url.hostname));
  if (url === null || !isSafe) throw new Error('The server named an address for the sign-in that is not HTTPS.');
  return url.href;
}
