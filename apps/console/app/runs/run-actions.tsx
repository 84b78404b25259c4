import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CirclePlay, CircleStop, RotateCcw } from 'lucide-react';
import { useLocation } from 'wouter';
import type { RunDetails } from '@ravi/api';
import { runQuery, isLive } from '../api/queries.ts';
import { path, request } from '../api/request.ts';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-notice.tsx';

/** Actions on a run: cancel, resume, start again. */
export function RunActions({ run }: { readonly run: RunDetails }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const reread = () => client.invalidateQueries({ queryKey: runQuery(run.id).queryKey });
  const cancel = useMutation({
    mutationFn: () => request(path`/runs/${run.id}/cancel`, { method: 'POST', body: {} }),
    onSettled: reread,
  });
  const resume = useMutation({
    mutationFn: () => request(path`/runs/${run.id}/resume`, { method: 'POST', body: {} }),
    onSettled: reread,
  });
  const repeat = useMutation({
    mutationFn: () => request<RunDetails>('/runs', { method: 'POST', body: bodyToRepeat(run) }),
    onSuccess: ({ id }) => navigate(`/runs/${encodeURIComponent(id)}`),
  });

  return (
    <>
      <ErrorText error={cancel.error ?? resume.error ?? repeat.error} />
      {run.status === 'paused' && run.definition.kind === 'chain' && (
        <Button icon={CirclePlay} isBusy={resume.isPending} onClick={() => resume.mutate()}>
          Resume
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

function bodyToRepeat({ definition, script, task }: RunDetails): object {
  const { kind, input, details, language } = definition;
  const code = script ?? definition.code;
  if (kind === 'chain') return { kind, code, ...(language === undefined ? {} : { language }) };
  return { kind: 'agent', task: task ?? input ?? details?.['title'] ?? 'demo' };
}
