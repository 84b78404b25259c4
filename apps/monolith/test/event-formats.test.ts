import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { RecordedEvent, RecordedEventType } from '@ravi/api';
import { test } from 'vitest';
import { agUiEvents } from '../src/http/events/ag-ui.ts';
import { aiUiEvents } from '../src/http/events/ai-ui.ts';
import type { EventFormat } from '../src/http/events/event-stream.ts';
import { responseFormat } from '../src/http/events/responses-format.ts';

interface Expected {
  readonly events: readonly Pick<RecordedEvent, 'type' | 'data'>[];
  /** Lines of the frames of each event. */
  readonly agUi: readonly (readonly string[])[];
  readonly aiUi: readonly (readonly string[])[];
  readonly responses: readonly (readonly string[])[];
}

const expected = JSON.parse(
  await readFile(new URL('fixtures/event-formats.json', import.meta.url), 'utf8'),
) as Expected;
const events = expected.events.map(
  (event, index) => ({ ...event, id: `1.${index + 1}`, at: 1_000 + index }) as RecordedEvent,
);
const run = { id: 'run_1', sessionId: 'session_1', createdAt: 5_000 };

/** Naming each type as a key makes a new one a type error here, so the fixture never misses one. */
const everyType: Readonly<Record<RecordedEventType, true>> = {
  'run-start': true,
  'run-paused': true,
  'run-suspended': true,
  'run-accompanied': true,
  'run-end': true,
  'run-input': true,
  'completion-requested': true,
  'completion-ended': true,
  'step-start': true,
  'step-end': true,
  'model-retry': true,
  'model-delta': true,
  'reasoning-delta': true,
  'model-text': true,
  'model-end': true,
  'tool-call': true,
  'tool-progress': true,
  'tool-retry': true,
  'tool-result': true,
  'approval-requested': true,
  'approval-decided': true,
  console: true,
  artifact: true,
  handoff: true,
  'model-lent': true,
};

function linesOf(format: EventFormat): readonly (readonly string[])[] {
  return events.map((event) =>
    format
      .frame(event)
      .split('\n')
      .filter((line) => line !== ''),
  );
}

test('the events of the fixture have every type that a record holds', () => {
  assert.deepEqual(new Set(events.map(({ type }) => type)), new Set(Object.keys(everyType)));
});

test('each event becomes the same bytes of AG-UI as in every earlier version', () => {
  assert.deepEqual(linesOf(agUiEvents(run)), expected.agUi);
});

test('each event becomes the same bytes of the UI message stream as in every earlier version', () => {
  assert.deepEqual(linesOf(aiUiEvents(run.id)), expected.aiUi);
});

test('each event becomes the same bytes of the Responses API as in every earlier version', () => {
  assert.deepEqual(linesOf(responseFormat(run)), expected.responses);
});
