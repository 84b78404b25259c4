import assert from 'node:assert/strict';
import type { RecordableEvent, RecordedEvent } from '@ravi/api';
import { test } from 'vitest';
import { createLostCalls } from '../src/runs/lost-calls.ts';

const scope = { runId: 'run', sessionId: 's' } as const;
const facts = { callId: 'call_1', tool: 'mail', caller: 'direct', argsPreview: '{}' } as const;
const call: RecordableEvent = { type: 'tool-call', ...scope, ...facts };
const result: RecordableEvent = { type: 'tool-result', ...scope, ...facts, status: 'ok', durationMs: 1 };
const usage = { inputTokens: 1, outputTokens: 1 };
const stepEnd: RecordableEvent = { type: 'step-end', ...scope, agent: 'clerk', step: 1, toolCalls: 1, usage };
const stored = (...events: readonly RecordableEvent[]): readonly RecordedEvent[] =>
  events.map(({ type, ...data }, index) => ({ id: `1.${index + 1}`, at: 1, type, data }) as unknown as RecordedEvent);

test('the end of a call or a step is recorded once, also if the process that continues the run reports it too', () => {
  const lost = createLostCalls(stored(call, result, stepEnd));
  assert.deepEqual([lost.isEmpty, lost.take(result), lost.take(stepEnd)], [true, false, false]);
  assert.deepEqual([lost.take(call), lost.take(result)], [true, true]);
});

test('the end of a call or a step that an earlier process left open is recorded', () => {
  const lost = createLostCalls(stored(call));
  assert.equal(lost.isEmpty, false);
  assert.deepEqual([lost.take(result), lost.take(stepEnd), lost.isEmpty], [true, true, true]);
});

test('a call that ended because the run paused is recorded with the end that it has after the pause', () => {
  const paused: RecordableEvent = { type: 'tool-result', ...scope, ...facts, status: 'cancelled', durationMs: 1 };
  const denied: RecordableEvent = { type: 'tool-result', ...scope, ...facts, status: 'denied', durationMs: 0 };
  const lost = createLostCalls(stored(call, paused));
  assert.deepEqual([lost.take(paused), lost.take(denied)], [false, true]);
});
