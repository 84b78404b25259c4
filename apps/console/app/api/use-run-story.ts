import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { RecordedEvent } from '@ravi/api';
import type { RunStatus } from '@ravi/kernel';
import { followEvents, ravi } from './client.ts';
import type { EventStream } from './client.ts';
import { isLive as isLiveRun, runQuery } from './queries.ts';
import { continueStory, emptyStory } from './run-story.ts';
import type { RunStory } from './run-story.ts';

/** Events after which the record of the run is read again. */
const changes: ReadonlySet<string> = new Set([
  'run-start',
  'run-paused',
  'tool-result',
  'approval-requested',
  'approval-decided',
  'completion-requested',
  'completion-ended',
  'artifact',
  'run-end',
]);

const recordPauseMs = 250;
// A run with many calls emits more events at once than a page can draw.
const drawPauseMs = 40;

/**
 * Reads the events of a run from its beginning, and its record again when it changes. `status` is the status in the
 * record; a run that has ended has no further events.
 */
export function useRunStory(runId: string, status: RunStatus | undefined): RunStory {
  const client = useQueryClient();
  const [story, setStory] = useState(emptyStory);
  const stream = useRef<EventStream>(undefined);
  const isLive = status === undefined || isLiveRun({ status });
  const reread = useEffectEvent(() => {
    if (isLive) void client.invalidateQueries({ queryKey: runQuery(runId).queryKey });
  });

  useEffect(() => {
    setStory(emptyStory);
    const record = paced(recordPauseMs, () => reread());
    let pending: RecordedEvent[] = [];
    const draw = paced(drawPauseMs, () => {
      const events = pending;
      pending = [];
      setStory((before) => events.reduce(continueStory, before));
    });
    const followed = followEvents({ open: (options) => ravi.runs.events(runId, options), onEvent });
    stream.current = followed;

    function onEvent(event: RecordedEvent): void {
      pending.push(event);
      draw.ask();
      if (changes.has(event.type)) record.ask();
      if (event.type !== 'run-end') return;
      void client.invalidateQueries({ queryKey: ['runs'] });
      void client.invalidateQueries({ queryKey: ['artifacts'] });
    }

    return () => {
      followed.close();
      record.stop();
      draw.stop();
    };
  }, [client, runId]);

  // The server closes the stream of a paused run; open it again when the run resumes.
  useEffect(() => {
    if (status === 'running') stream.current?.checkNow();
  }, [status]);
  return story;
}

/** Runs the work soon after it is requested, once for all requests until then. */
function paced(pauseMs: number, work: () => void): { readonly ask: () => void; readonly stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    ask() {
      timer ??= setTimeout(() => {
        timer = undefined;
        work();
      }, pauseMs);
    },
    stop: () => clearTimeout(timer),
  };
}
