import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { printable } from '@ravi/approval-web/text';
import { ravi } from '../api/client.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** Completions in progress by their query: each is sent once, also if React mounts the page twice. */
const completing = new Map<string, ReturnType<typeof ravi.sources.completeSignIn>>();

/** Page to which the authorization of a server brings the browser back; it completes the sign-in. */
export function SignInCallback() {
  const [query] = useState(() => location.search.slice(1));
  const { mutate, data, error } = useMutation({ mutationFn: complete });
  useEffect(() => mutate(query), [mutate, query]);
  return (
    <>
      <PageHeader title="Sign-in" parent={<Link href="/servers">Servers</Link>} />
      {error !== null && <ErrorNotice error={error} />}
      {error === null && data === undefined && <p role="status">Completing the sign-in…</p>}
      {data !== undefined && (
        <p role="status">
          You are signed in at <code>{printable(data.source)}</code>. You can close this page.
        </p>
      )}
    </>
  );
}

async function complete(query: string): Promise<{ readonly source: string }> {
  const sent = completing.get(query) ?? ravi.sources.completeSignIn({ query });
  completing.set(query, sent);
  try {
    const done = await sent;
    // The code of the authorization is used up; it does not stay in the history.
    history.replaceState(undefined, '', location.pathname);
    return done;
  } catch (error) {
    // After a sign-in at the console the page tries again.
    completing.delete(query);
    throw error;
  }
}
