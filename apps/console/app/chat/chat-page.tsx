import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Bot, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Run } from '@ravi/kernel';
import { historyQuery, runsQuery, isLive } from '../api/queries.ts';
import { ravi } from '../api/client.ts';
import { ApprovalCards } from '../inbox/approval-card.tsx';
import { MoreRows } from '../ui/data-table.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { Moment } from '../ui/facts.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { titleOf } from '../runs/run-summary.tsx';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { LiveAnswer } from './live-answer.tsx';

/** Page to chat with the agent. Each message is a run of the conversation. */
export function ChatPage({ sessionId }: { readonly sessionId?: string }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const send = useMutation({
    mutationFn: (task: string) =>
      ravi.runs.start({ kind: 'agent', task, ...(sessionId === undefined ? {} : { sessionId }) }),
    async onSuccess(run) {
      await client.invalidateQueries({ queryKey: ['runs'] });
      if (sessionId === undefined) navigate(`/chat/${encodeURIComponent(run.sessionId)}`);
    },
  });

  return (
    <>
      <PageHeader title="Chat" lead="Give the agent a task. Its calls pass the same checks as all others.">
        {sessionId !== undefined && (
          <Link href="/chat" className="button plain">
            <Plus aria-hidden size={16} /> New conversation
          </Link>
        )}
      </PageHeader>
      <div className="chat">
        <Sessions {...(sessionId === undefined ? {} : { openId: sessionId })} />
        <div className="chat-main">
          {sessionId === undefined ? (
            <EmptyState icon={Bot} title="What should the agent do?">
              The agent may write scripts that call many tools at once; you see each call on the page of its run.
            </EmptyState>
          ) : (
            <OpenConversation sessionId={sessionId} />
          )}
          <Composer isBusy={send.isPending} error={send.error} onSend={(task) => send.mutateAsync(task)} />
        </div>
      </div>
    </>
  );
}

function OpenConversation({ sessionId }: { readonly sessionId: string }) {
  const client = useQueryClient();
  const history = useQuery(historyQuery(sessionId));
  const runs = useInfiniteQuery(runsQuery({ sessionId }));
  // A run is followed until its response is in the history, which is later than the end of the run in the list.
  const [followed, follow] = useState<string>();
  const [over, setOver] = useState<string>();
  const live = runs.data?.pages.flatMap(({ items }) => items).find((run) => isLive(run) && run.id !== over);
  if (live !== undefined && followed === undefined) follow(live.id);

  async function onEnded(runId: string): Promise<void> {
    await client.invalidateQueries({ queryKey: historyQuery(sessionId).queryKey });
    setOver(runId);
    follow(undefined);
    await client.invalidateQueries({ queryKey: ['runs'] });
  }

  return (
    <>
      <Loaded query={history}>
        {({ items }) =>
          items.length > 0 || runs.data?.pages[0]?.items.length !== 0 ? (
            <Conversation entries={items} />
          ) : (
            <EmptyState icon={Bot} title="No messages in this conversation">
              Send one to begin, or choose another conversation.
            </EmptyState>
          )
        }
      </Loaded>
      {followed !== undefined && (
        <LiveAnswer
          key={followed}
          runId={followed}
          stored={history.data?.items ?? []}
          onStep={() => void client.invalidateQueries({ queryKey: historyQuery(sessionId).queryKey })}
          onEnded={() => void onEnded(followed)}
        />
      )}
      <ApprovalCards isWanted={(approval) => approval.sessionId === sessionId} />
    </>
  );
}

function Sessions({ openId }: { readonly openId?: string }) {
  const query = useInfiniteQuery(runsQuery({ kind: 'agent' }));
  const runs = query.data?.pages.flatMap(({ items }) => items) ?? [];
  if (runs.length === 0) return undefined;
  return (
    <nav className="chat-sessions" aria-label="Conversations">
      <ul>
        {conversationsOf(runs).map(({ sessionId, first, latest }) => (
          <li key={sessionId}>
            <Link
              href={`/chat/${encodeURIComponent(sessionId)}`}
              aria-current={sessionId === openId ? 'page' : undefined}
            >
              <span>{titleOf(first)}</span>
              <span className="muted">
                <Moment at={latest.createdAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <MoreRows query={query} />
    </nav>
  );
}

interface ListedConversation {
  readonly sessionId: string;
  /** The oldest of the loaded runs. */
  readonly first: Run;
  readonly latest: Run;
}

/** Returns the conversations of runs, which are ordered from the newest. */
function conversationsOf(runs: readonly Run[]): readonly ListedConversation[] {
  const found = new Map<string, ListedConversation>();
  for (const run of runs) {
    const { sessionId } = run;
    found.set(sessionId, { sessionId, first: run, latest: found.get(sessionId)?.latest ?? run });
  }
  return [...found.values()];
}
