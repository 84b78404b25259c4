import assert from 'node:assert/strict';
import { test } from 'vitest';
import { checkEvidence } from '../kill/oracles.ts';
import type { Evidence } from '../kill/oracles.ts';
import type { EndedApproval, EndedRun, TracedCall } from '../kill/outcome.ts';
import type { Reading, SeenEvent } from '../kill/readers.ts';

const call = (callId: string, tool: string, id: string, status = 'ok'): TracedCall => ({
  callId,
  tool,
  status,
  argsPreview: `{"id":"${id}"}`,
});

const run: EndedRun = {
  id: 'run_1',
  status: 'completed',
  definition: {},
  task: '{"workload":"agent with approvals","label":"w0"}',
  trace: [
    call('call_1', 'mail', 'w0/first'),
    call('call_2', 'wire', 'w0/wire-0'),
    call('call_3', 'wire', 'w0/wire-1', 'denied'),
    call('call_4', 'wire', 'w0/wire-2', 'unknown'),
    call('call_5', 'mail', 'w0/last'),
  ],
  artifacts: [],
  children: [],
  questions: [],
};

const effectOf = (callId: string, kind: string, id: string): Evidence['effects'][number] => ({
  callId,
  kind,
  id,
  key: `key_${callId}`,
  pid: 1,
  isRepeat: false,
});

const approval = (id: string, callId: string, status: string, effect: string): EndedApproval => ({
  id,
  runId: 'run_1',
  callId,
  tool: 'wire',
  status,
  args: { id: effect },
});

const event = (id: string, type = 'tool-call'): SeenEvent => ({
  id,
  type,
  digest: `digest of ${id}`,
  isEnd: type === 'run-end',
});

const stored: Reading = {
  runId: 'run_1',
  events: [event('1.1'), event('1.2'), event('2.1'), event('2.2', 'run-end')],
  provisional: 0,
  connections: 2,
  openCalls: [],
};

/** Evidence of one run during which every guarantee was kept. */
const kept: Evidence = {
  uploads: [],
  lostUploads: [],
  answers: [],
  keyedRequests: [],
  told: [],
  runs: [run],
  approvals: [
    approval('approval_1', 'call_2', 'consumed', 'w0/wire-0'),
    approval('approval_2', 'call_3', 'consumed', 'w0/wire-1'),
    approval('approval_3', 'call_4', 'consumed', 'w0/wire-2'),
  ],
  events: new Map([['run_1', stored]]),
  lostArtifacts: [],
  effects: [
    effectOf('call_1', 'mail', 'w0/first'),
    effectOf('call_2', 'wire', 'w0/wire-0'),
    effectOf('call_5', 'mail', 'w0/last'),
  ],
  started: [{ id: 'run_1', label: 'w0', workload: 'agent with approvals' }],
  requested: new Map([['w0', 'agent with approvals']]),
  decisions: [
    { approvalId: 'approval_1', decision: 'approved', status: 200, isRepeated: false },
    { approvalId: 'approval_2', decision: 'denied', status: 200, isRepeated: false },
    { approvalId: 'approval_3', decision: 'approved', status: 200, isRepeated: false },
  ],
  readings: [stored],
};

const withRun = (change: Partial<EndedRun>): Evidence => ({ ...kept, runs: [{ ...run, ...change }] });
const withTrace = (change: (trace: readonly TracedCall[]) => readonly TracedCall[]): Evidence =>
  withRun({ trace: change(run.trace) });
const withReader = (change: (events: readonly SeenEvent[]) => readonly SeenEvent[]): Evidence => ({
  ...kept,
  readings: [{ ...stored, events: change(stored.events) }],
});
const withApproval = (change: Partial<EndedApproval>): Evidence => ({
  ...kept,
  approvals: kept.approvals.map((one) => (one.id === 'approval_1' ? { ...one, ...change } : one)),
});

// Another run, whose calls had these effects.
const withUpload = (effects: Evidence['effects']): Evidence => {
  const trace = effects.map(({ callId, kind, id }) => call(callId, kind, id));
  const task = '{"workload":"agent with an upload","label":"w1"}';
  return {
    ...kept,
    runs: [run, { ...run, id: 'run_2', task, trace }],
    effects: [...kept.effects, ...effects],
    requested: new Map([...kept.requested, ['w1', 'agent with an upload']]),
    uploads: [{ ref: 'blob_1', label: 'w1', digest: 'its digest' }],
  };
};
const keyed: Evidence['keyedRequests'][number] = { label: 'k0', kind: 'call', made: [], notMade: [], failed: [] };

/** Evidence of one broken guarantee each, with the guarantees that must be reported. */
const broken: readonly (readonly [what: string, evidence: Evidence, guarantees: readonly string[]])[] = [
  [
    'an effect of two calls',
    { ...kept, effects: [...kept.effects, effectOf('call_4', 'mail', 'w0/last')] },
    ['effects twice'],
  ],
  [
    'an effect of one call with one key, twice',
    { ...kept, effects: [...kept.effects, effectOf('call_5', 'mail', 'w0/last')] },
    ['effects twice'],
  ],
  [
    'an effect whose call is not in the trace',
    withTrace((trace) => trace.filter(({ callId }) => callId !== 'call_1')),
    ['effects missing from a trace'],
  ],
  [
    'an effect that the trace denies',
    withTrace((trace) => trace.map((one) => (one.callId === 'call_5' ? { ...one, status: 'denied' } : one))),
    ['effects missing from a trace'],
  ],
  ['a run that still runs', withRun({ status: 'running' }), ['stuck runs', 'ends read wrongly']],
  ['a run that is paused forever', withRun({ status: 'paused' }), ['stuck runs', 'ends read wrongly']],
  [
    'a run that failed',
    withRun({ status: 'failed', error: { code: 'E_RUN_LOST', message: 'gave up' } }),
    ['runs given up'],
  ],
  [
    'a run that was acknowledged and is unknown',
    { ...kept, started: [...kept.started, { id: 'run_2', label: 'w1', workload: 'script' }] },
    ['acknowledged data lost'],
  ],
  [
    'two runs of one request',
    { ...kept, runs: [run, { ...run, id: 'run_2', trace: [] }], events: new Map(kept.events) },
    ['runs started twice'],
  ],
  ['a decision that is forgotten', withApproval({ status: 'withdrawn' }), ['acknowledged data lost']],
  [
    'an approval that was listed and is unknown',
    {
      ...kept,
      decisions: [...kept.decisions, { approvalId: 'approval_9', decision: 'denied', status: 404, isRepeated: false }],
    },
    ['acknowledged data lost'],
  ],
  [
    'an answer to a run that is unknown',
    { ...kept, answers: [{ runId: 'run_2', callIds: ['call_1'] }] },
    ['acknowledged data lost'],
  ],
  ['an upload that is lost', { ...kept, lostUploads: ['blob_1 of w0: status 404'] }, ['acknowledged data lost']],
  [
    'an upload that arrived with other content',
    withUpload([
      effectOf('call_6', 'mail', 'w1/first'),
      { ...effectOf('call_7', 'deliver', 'w1/delivery'), digest: 'another' },
    ]),
    ['acknowledged data lost'],
  ],
  [
    'an effect that no request asked for',
    {
      ...withTrace((trace) => [...trace, call('call_6', 'mail', 'w0/without-answer')]),
      effects: [...kept.effects, effectOf('call_6', 'mail', 'w0/without-answer')],
    },
    ['effects not asked for'],
  ],
  [
    'a model that received a result of an effect which was not made',
    { ...kept, told: [{ label: 'w0', callId: 'call_4', text: 'done: w0/wire-2' }] },
    ['results told wrongly'],
  ],
  [
    'a model that received the denial of an effect which was made',
    { ...kept, told: [{ label: 'w0', callId: 'call_2', text: 'Error: The call of wire was denied' }] },
    ['results told wrongly'],
  ],
  [
    'a model that received two results of a call',
    {
      ...kept,
      told: ['Error: The process ended while wire was running.', 'done: w0/wire-0'].map((text) => ({
        label: 'w0',
        callId: 'call_2',
        text,
      })),
    },
    ['results told wrongly'],
  ],
  [
    'a model that received an error without a cause',
    { ...kept, told: [{ label: 'w0', callId: 'call_4', text: 'Error: The state database does not respond' }] },
    ['results told wrongly'],
  ],
  [
    'a model that received a result which the trace does not know',
    { ...kept, told: [{ label: 'w0', callId: 'call_4', text: 'a text without an effect' }] },
    ['results told wrongly'],
  ],
  [
    'a keyed request whose result is untrue',
    { ...kept, keyedRequests: [{ ...keyed, made: ['k0/call'] }] },
    ['results told wrongly'],
  ],
  [
    'a keyed script that got no result',
    { ...kept, keyedRequests: [{ ...keyed, kind: 'script', code: 'E_STATE_CONFLICT' }] },
    ['results told wrongly'],
  ],
  [
    'a script whose value is untrue',
    withRun({ definition: { code: '' }, outcome: { result: { value: { 'wire-2': 'ok' } } } }),
    ['results told wrongly'],
  ],
  ['an artifact that cannot be read', { ...kept, lostArtifacts: ['sha256 of run_1'] }, ['acknowledged data lost']],
  [
    'a call that succeeded without its effect',
    { ...kept, effects: kept.effects.filter(({ callId }) => callId !== 'call_1') },
    ['effects neither made nor reported'],
  ],
  [
    'a call that was cancelled before its effect, which no client asked for',
    {
      ...withTrace((trace) => trace.map((one) => (one.callId === 'call_1' ? { ...one, status: 'cancelled' } : one))),
      effects: kept.effects.filter(({ callId }) => callId !== 'call_1'),
    },
    ['effects neither made nor reported'],
  ],
  [
    'a question of a run that has ended',
    withApproval({ status: 'pending' }),
    ['questions without a call', 'acknowledged data lost'],
  ],
  [
    'a parked question of such a run',
    withApproval({ status: 'parked' }),
    ['questions without a call', 'acknowledged data lost'],
  ],
  [
    'an open question of a run that has ended',
    withRun({ questions: [{ callId: 'call_5' }] }),
    ['questions without a call'],
  ],
  ['an approval that no call used', withApproval({ status: 'approved' }), ['questions without a call']],
  ['a question whose call is in no trace', withApproval({ callId: 'call_9' }), ['questions without a call']],
  [
    'a call that is still started',
    withTrace((trace) => [...trace, call('call_6', 'export_rows', 'w0', 'started')]),
    ['calls without an end'],
  ],
  [
    'a call without the event of its end',
    { ...kept, events: new Map([['run_1', { ...stored, openCalls: ['call_1'] }]]) },
    ['calls without an end'],
  ],
  [
    'an effect that was denied',
    {
      ...withTrace((trace) => trace.map((one) => (one.callId === 'call_3' ? { ...one, status: 'ok' } : one))),
      effects: [...kept.effects, effectOf('call_3', 'wire', 'w0/wire-1')],
    },
    ['denied effects made'],
  ],
  ['an event twice', withReader((events) => [...events.slice(0, 2), ...events.slice(1)]), ['events read wrongly']],
  ['an event never', withReader((events) => events.toSpliced(1, 1)), ['events read wrongly']],
  [
    'an event that is not stored',
    withReader((events) => events.toSpliced(2, 0, event('1.3'))),
    ['events read wrongly'],
  ],
  [
    'an event with other content',
    withReader((events) => events.with(1, { ...event('1.2'), digest: 'another' })),
    ['events read wrongly'],
  ],
  [
    'events out of order',
    withReader((events) => [events[1], events[0], ...events.slice(2)] as SeenEvent[]),
    ['events read wrongly'],
  ],
  ['no end', withReader((events) => events.slice(0, -1)), ['events read wrongly', 'ends read wrongly']],
  [
    'two ends',
    { ...kept, events: new Map([['run_1', { ...stored, events: [...stored.events, event('2.3', 'run-end')] }]]) },
    ['events read wrongly', 'ends read wrongly'],
  ],
];

function reported(evidence: Evidence): readonly string[] {
  return Object.entries(checkEvidence(evidence)).flatMap(([guarantee, found]) => (found.length > 0 ? [guarantee] : []));
}

test('nothing is reported of a run that kept every guarantee', () => {
  assert.deepEqual(checkEvidence(kept)['effects twice'], []);
  assert.deepEqual(reported(kept), []);
});

test.each(broken)('the kill test reports %s', (_what, evidence, guarantees) => {
  assert.deepEqual(reported(evidence).toSorted(), guarantees.toSorted());
});

test('each guarantee is among those that were reported broken', () => {
  const proved = new Set(broken.flatMap(([, , guarantees]) => guarantees));
  assert.deepEqual(Object.keys(checkEvidence(kept)).toSorted(), [...proved].toSorted());
});
