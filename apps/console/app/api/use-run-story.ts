import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { RecordedEventData } from '@ravi/api';
import type { RunStatus } from '@ravi/kernel';
import { followEvents } from './events.ts';
import type { EventStream } from './events.ts';
import { runQuery } from './queries.ts';
import { path } from './request.ts';
import { continuations, emptyStory } from './run-story.ts';
import type { RunStory, StoryEvent } from './run-story.ts';

/** Events after which the record of the run is read again. */
const changes: ReadonlySet<string> = new Set([
  'run-start',
  'run-paused',
  'tool-result',
  'approval-requested',
  'approval-decided',
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
  const isLive = status === undefined || status === 'running' || status === 'paused';
  const onLost = useEffectEvent(() => {
    if (!isLive) stream.current?.close();
  });
  const reread = useEffectEvent(() => {
    if (isLive) void client.invalidateQueries({ queryKey: runQuery(runId).queryKey });
  });

  useEffect(() => {
    setStory(emptyStory);
    const record = paced(recordPauseMs, () => reread());
    let told: ((story: RunStory) => RunStory)[] = [];
    const draw = paced(drawPauseMs, () => {
      const all = told;
      told = [];
      setStory((before) => all.reduce((story, change) => change(story), before));
    });
    const names = new Set([...Object.keys(continuations), ...changes]);
    const followed = followEvents(path`/runs/${runId}/events`, {
      on: Object.fromEntries(Array.from(names, (name) => [name, (data: unknown) => onEvent(name, data)])),
      onLost: () => onLost(),
    });
    stream.current = followed;

    function onEvent(name: string, data: unknown): void {
      if (isTold(name)) {
        told.push((story) => continued(story, name, data));
        draw.ask();
      }
      if (changes.has(name)) record.ask();
      if (name !== 'run-end') return;
      followed.close();
      void client.invalidateQueries({ queryKey: ['runs'] });
      void client.invalidateQueries({ queryKey: ['artifacts'] });
    }

    return () => {
      followed.close();
      record.stop();
      draw.stop();
    };
  }, [client, runId]);

  // The stream of a paused run ends; open it again when the run resumes.
  useEffect(() => {
    if (status === 'running') stream.current?.hurry();
  }, [status]);
  return story;
}

function isTold(name: string): name is StoryEvent {
  return Object.hasOwn(continuations, name);
}

function continued<Name extends StoryEvent>(story: RunStory, name: Name, event: unknown): RunStory {
  const { at, data } = event as { readonly at: number; readonly data: RecordedEventData[Name] };
  return continuations[name](story, data, at);
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
