import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { runQuery } from './queries.ts';
import { addressOf, path } from './request.ts';
import { continuations, emptyStory } from './run-story.ts';
import type { RunEventData, RunStory } from './run-story.ts';

/** Events after which the record of the run is read again. */
const changes = ['run', 'tool-result', 'approval-requested', 'approval-decided', 'artifact', 'run-ended'];

const pauseMs = 250;

/** Reads the events of a run from its beginning; while `isLive` its record is read anew as it changes. */
export function useRunStory(runId: string, isLive: boolean): RunStory {
  const client = useQueryClient();
  const [story, setStory] = useState(emptyStory);
  const onBreak = useEffectEvent((source: EventSource) => {
    // After the end there is nothing to come back for.
    if (!isLive) source.close();
  });
  const reread = useEffectEvent(() => {
    if (isLive) void client.invalidateQueries({ queryKey: runQuery(runId).queryKey });
  });

  useEffect(() => {
    setStory(emptyStory);
    const source = new EventSource(addressOf(path`/runs/${runId}/events`));
    const pace = paced(() => reread());
    for (const name of Object.keys(continuations) as (keyof RunEventData)[]) follow(source, name, setStory);
    for (const name of changes) source.addEventListener(name, pace.ask);
    source.addEventListener('run-ended', () => {
      source.close();
      void client.invalidateQueries({ queryKey: ['runs'] });
      void client.invalidateQueries({ queryKey: ['artifacts'] });
    });
    source.addEventListener('error', () => onBreak(source));
    return () => {
      source.close();
      pace.stop();
    };
  }, [client, runId]);
  return story;
}

function follow<Name extends keyof RunEventData>(
  source: EventSource,
  name: Name,
  change: (next: (story: RunStory) => RunStory) => void,
): void {
  source.addEventListener(name, (event: MessageEvent<string>) => {
    const { at, data } = JSON.parse(event.data) as { readonly at: number; readonly data: RunEventData[Name] };
    change((story) => continuations[name](story, data, at));
  });
}

/** Does the work soon after it is asked for, and once for many who ask meanwhile. */
function paced(work: () => void): { readonly ask: () => void; readonly stop: () => void } {
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
