import { useQuery } from '@tanstack/react-query';
import { LoaderCircle } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { Link } from 'wouter';
import { printable } from '@ravi/approval-web/text';
import type { RunDetails } from '@ravi/api';
import { isUndecided } from '@ravi/kernel';
import type { HistoryEntry } from '@ravi/kernel';
import { useApprovals } from '../api/approvals.ts';
import { isLive, runQuery } from '../api/queries.ts';
import { useRunStory } from '../api/use-run-story.ts';
import { Questions } from '../runs/questions.tsx';

/** Props of a {@link LiveAnswer}. */
export interface LiveAnswerProps {
  readonly runId: string;
  /** The conversation as stored, which is shown above. */
  readonly stored: readonly HistoryEntry[];
  /** Called when a step has ended, after which its response is stored. */
  readonly onStep: () => void;
  readonly onEnded: () => void;
}

/** Response and questions of the agent while its run continues, without what is stored in the conversation. */
export function LiveAnswer({ runId, stored, onStep, onEnded }: LiveAnswerProps) {
  const { data: run } = useQuery(runQuery(runId));
  const story = useRunStory(runId, run?.status);
  const { data: list } = useApprovals();
  const waiting = list?.items.filter((each) => each.runId === runId && isUndecided(each)) ?? [];
  const hasEnded = run !== undefined && !isLive(run);
  const onEnd = useEffectEvent(onEnded);

  useEffect(() => {
    if (hasEnded) onEnd();
  }, [hasEnded]);

  const steps = story.steps.length + Object.keys(story.calls).length;
  const onStepEnd = useEffectEvent(onStep);
  useEffect(() => {
    if (steps > 0) onStepEnd();
  }, [steps]);

  const isStored = stored.some(
    (entry) => entry.runId === runId && entry.message.role === 'assistant' && textOf(entry) === story.text,
  );
  const calls = Object.keys(story.calls).length;
  return (
    <div className="live-answer" aria-live="polite">
      {story.text !== '' && !isStored && <p className="block-text">{printable(story.text)}</p>}
      <p className="chat-note">
        <LoaderCircle aria-hidden size={14} className="spinner" />
        {waitsFor(run, waiting.length)}
        {calls > 0 && `, ${calls} calls so far`} ·{' '}
        <Link href={`/runs/${encodeURIComponent(runId)}`}>Watch the run</Link>
      </p>
      {run !== undefined && <Questions key={run.questions?.[0]?.callId} run={run} />}
    </div>
  );
}

function textOf({ message }: HistoryEntry): string {
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

function waitsFor(run: RunDetails | undefined, approvals: number): string {
  if (approvals > 0) return 'Waits for your decision';
  return (run?.questions ?? []).length > 0 ? 'Waits for your answer' : 'Working';
}
