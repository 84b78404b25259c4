import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CirclePlay, CircleStop, RotateCcw } from 'lucide-react';
import { useLocation } from 'wouter';
import type { api, BodyOf, RunDetails } from '@ravi/api';
import { runQuery, isLive } from '../api/queries.ts';
import { ravi } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-notice.tsx';

/** Actions on a run: cancel, resume, retry, start again. */
export function RunActions({ run }: { readonly run: RunDetails }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const reread = () => client.invalidateQueries({ queryKey: runQuery(run.id).queryKey });
  const cancel = useMutation({
    mutationFn: () => ravi.runs.cancel(run.id),
    onSettled: reread,
  });
  const resume = useMutation({
    mutationFn: () => ravi.runs.resume(run.id),
    onSettled: reread,
  });
  const retry = useMutation({
    mutationFn: () => ravi.runs.retry(run.id),
    onSettled: reread,
  });
  const repeat = useMutation({
    mutationFn: () => ravi.runs.start(bodyToRepeat(run)),
    onSuccess: ({ id }) => navigate(`/runs/${encodeURIComponent(id)}`),
  });

  return (
    <>
      <ErrorText error={cancel.error ?? resume.error ?? retry.error ?? repeat.error} />
      {run.status === 'paused' && run.definition.kind === 'chain' && (
        <Button icon={CirclePlay} isBusy={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      )}
      {run.status === 'blocked' && (
        <Button icon={RotateCcw} isBusy={retry.isPending} onClick={() => retry.mutate()}>
          Retry
        </Button>
      )}
      {isLive(run) ? (
        <Button icon={CircleStop} variant="danger" isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel run
        </Button>
      ) : (
        <Button icon={RotateCcw} isBusy={repeat.isPending} onClick={() => repeat.mutate()}>
          Run again
        </Button>
      )}
    </>
  );
}

function bodyToRepeat({ definition, script, task }: RunDetails): BodyOf<typeof api.runs.start> {
  const { kind, input, details, language } = definition;
  const code = script ?? definition.code ?? '';
  if (kind === 'chain') return { kind, code, ...(language === undefined ? {} : { language }) };
  return { kind: 'agent', task: task ?? taskOf(input) ?? taskOf(details?.['title']) ?? 'demo' };
}

function taskOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
