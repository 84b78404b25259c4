import { useQuery } from '@tanstack/react-query';
import { LoaderCircle } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { Link } from 'wouter';
import { approvalsQuery } from '../api/approvals.ts';
import { runQuery } from '../api/queries.ts';
import { useRunStory } from '../api/use-run-story.ts';
import { ApprovalCard } from '../inbox/approval-card.tsx';
import { isLive } from '../runs/run-title.ts';
import { printable } from '../ui/format.ts';

/** What the agent writes and asks while its run goes on. */
export function LiveAnswer({ runId, onEnded }: { readonly runId: string; readonly onEnded: () => void }) {
  const { data: run } = useQuery(runQuery(runId));
  const story = useRunStory(runId, run === undefined || isLive(run));
  const { data: list } = useQuery(approvalsQuery());
  const waiting = list?.approvals.filter((each) => each.runId === runId && each.status === 'pending') ?? [];
  const hasEnded = run !== undefined && !isLive(run);
  const onEnd = useEffectEvent(onEnded);

  useEffect(() => {
    if (hasEnded) onEnd();
  }, [hasEnded]);

  const calls = Object.keys(story.calls).length;
  return (
    <div className="live-answer" aria-live="polite">
      {story.text !== '' && <p className="block-text">{printable(story.text)}</p>}
      <p className="turn-note">
        <LoaderCircle aria-hidden size={14} className="spinner" />
        {waiting.length > 0 ? 'Waits for your decision' : 'At work'}
        {calls > 0 && `, ${calls} calls so far`} ·{' '}
        <Link href={`/runs/${encodeURIComponent(runId)}`}>Watch the run</Link>
      </p>
      {waiting.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
    </div>
  );
}
