import { useQuery } from '@tanstack/react-query';
import { LoaderCircle } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { Link } from 'wouter';
import { printable } from '@ravi/approval-web/text';
import type { RunDetails } from '@ravi/api';
import { approvalsQuery } from '../api/approvals.ts';
import { isLive, runQuery } from '../api/queries.ts';
import { useRunStory } from '../api/use-run-story.ts';
import { ApprovalCard } from '../inbox/approval-card.tsx';
import { Questions } from '../runs/questions.tsx';

/** Response and questions of the agent while its run continues. */
export function LiveAnswer({ runId, onEnded }: { readonly runId: string; readonly onEnded: () => void }) {
  const { data: run } = useQuery(runQuery(runId));
  const story = useRunStory(runId, run?.status);
  const { data: list } = useQuery(approvalsQuery());
  const waiting = list?.items.filter((each) => each.runId === runId && each.status === 'pending') ?? [];
  const hasEnded = run !== undefined && !isLive(run);
  const onEnd = useEffectEvent(onEnded);

  useEffect(() => {
    if (hasEnded) onEnd();
  }, [hasEnded]);

  const calls = Object.keys(story.calls).length;
  return (
    <div className="live-answer" aria-live="polite">
      {story.text !== '' && <p className="block-text">{printable(story.text)}</p>}
      <p className="chat-note">
        <LoaderCircle aria-hidden size={14} className="spinner" />
        {waitsFor(run, waiting.length)}
        {calls > 0 && `, ${calls} calls so far`} ·{' '}
        <Link href={`/runs/${encodeURIComponent(runId)}`}>Watch the run</Link>
      </p>
      {waiting.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
      {run !== undefined && <Questions key={run.questions?.[0]?.callId} run={run} />}
    </div>
  );
}

function waitsFor(run: RunDetails | undefined, approvals: number): string {
  if (approvals > 0) return 'Waits for your decision';
  return (run?.questions ?? []).length > 0 ? 'Waits for your answer' : 'At work';
}
