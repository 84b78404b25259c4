import type { SentDecision } from './approver.ts';
import { contradictions, damagedUploads, unwantedEffects, wrongResults } from './client-oracles.ts';
import type { ClientEvidence } from './client-oracles.ts';
import type { EndedApproval, EndedRun, FinalState, TracedCall } from './outcome.ts';
import type { Reading } from './readers.ts';
import type { StartedRun } from './starter.ts';
import { claimsOf, expectedEffects } from './workloads.ts';

/** Facts from outside the servers, and the reports of the servers at the end. */
export interface Evidence extends FinalState, ClientEvidence {
  readonly started: readonly StartedRun[];
  readonly decisions: readonly SentDecision[];
  readonly readings: readonly Reading[];
}

/** Violations by guarantee; each violation is a sentence. */
export type Violations = Readonly<Record<string, readonly string[]>>;

const finalStatuses = ['completed', 'failed', 'cancelled'];
const openStatuses = ['pending', 'parked', 'approved'];
// No client cancels a call, and no call takes long enough for a time-out.
const explained = ['denied', 'unknown', 'error', 'started'];
const unknownCode = 'E_CALL_UNKNOWN';
const truthful = ['ok', 'unknown', 'error', 'timeout', 'cancelled'];

/** Checks every guarantee. */
export function checkEvidence(evidence: Evidence): Violations {
  return {
    'effects twice': effectsTwice(evidence),
    'effects not asked for': unwantedEffects(evidence),
    'effects missing from a trace': missingFromTraces(evidence),
    'stuck runs': evidence.runs.filter(isLive).map((run) => `${nameOf(run)} is ${run.status}`),
    'runs given up': givenUp(evidence),
    'runs started twice': startedTwice(evidence),
    'acknowledged data lost': lostData(evidence),
    'effects neither made nor reported': unreported(evidence),
    'results told wrongly': [...wrongResults(evidence), ...wrongValues(evidence), ...untracedResults(evidence)],
    'questions without a call': questionsWithoutCall(evidence),
    'calls without an end': callsWithoutEnd(evidence),
    'denied effects made': deniedEffects(evidence),
    'events read wrongly': evidence.readings.flatMap((reading) => readingProblems(reading, evidence)),
    'ends read wrongly': [...evidence.readings, ...evidence.events.values()].flatMap((reading) =>
      endProblems(reading, evidence),
    ),
  };
}

function effectsTwice({ effects }: Evidence): readonly string[] {
  const made = effects.filter(({ isRepeat }) => !isRepeat);
  return [...Map.groupBy(made, ({ id }) => id)]
    .filter(([, same]) => same.length > 1)
    .map(([id, same]) => `${id}: ${same.map(({ callId, key }) => `${callId} (key ${key.slice(-8)})`).join(', ')}`);
}

function missingFromTraces(evidence: Evidence): readonly string[] {
  const traces = tracesByLabel(evidence);
  const direct = new Set(evidence.keyedRequests.flatMap(({ kind, label }) => (kind === 'call' ? [label] : [])));
  return evidence.effects.flatMap(({ id, callId }) => {
    // A call without a run has no trace.
    if (direct.has(id.split('/')[0] ?? '')) return [];
    const trace = traces.get(id.split('/')[0] ?? '') ?? [];
    const calls = trace.filter((call) => call.callId === callId);
    if (calls.length === 0) return [`${id}: call ${callId} is in no trace (${fateOf(id, evidence)})`];
    const wrong = calls.find(({ status }) => !truthful.includes(status));
    return wrong === undefined ? [] : [`${id}: call ${callId} is "${wrong.status}" in the trace`];
  });
}

/** Returns the calls of each workload: those of its run and of the runs below it. */
function tracesByLabel({ runs }: Evidence): ReadonlyMap<string, readonly TracedCall[]> {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const rootOf = (run: EndedRun): EndedRun => {
    const parent = byId.get(run.parentRunId ?? '');
    return parent === undefined ? run : rootOf(parent);
  };
  const grouped = Map.groupBy(runs, (run) => labelOf(rootOf(run)));
  return new Map([...grouped].map(([label, tree]) => [label, tree.flatMap(({ trace }) => trace)]));
}

function givenUp({ runs, started }: Evidence): readonly string[] {
  const known = new Set(started.map(({ id }) => id));
  const whose = ({ id, parentRunId }: EndedRun): string =>
    known.has(id) || parentRunId !== undefined ? '' : ', its start was never acknowledged';
  return runs
    .filter((run) => run.status === 'failed' || run.status === 'cancelled')
    .map((run) => {
      const { code, message } = run.outcome?.error ?? run.error ?? { code: 'without error', message: '' };
      return `${nameOf(run)} is ${run.status}${whose(run)}: ${code} ${message.slice(0, 160)}`;
    });
}

// Requests repeat their idempotency key until they are acknowledged.
function startedTwice({ runs }: Evidence): readonly string[] {
  const roots = runs.filter(({ parentRunId }) => parentRunId === undefined);
  return [...Map.groupBy(roots, labelOf)]
    .filter(([label, same]) => label !== '' && same.length > 1)
    .map(([label, same]) => `${label}: ${same.map(({ id }) => id).join(', ')}`);
}

function lostData(evidence: Evidence): readonly string[] {
  const { started, runs, decisions, answers, approvals, lostArtifacts } = evidence;
  const known = new Set(runs.map(({ id }) => id));
  const byId = new Map(approvals.map((approval) => [approval.id, approval]));
  const lostRuns = started.filter(({ id }) => !known.has(id)).map(({ id, label }) => `the run ${id} (${label})`);
  const lostDecisions = decisions.flatMap(({ approvalId, decision, status }) => {
    const now = byId.get(approvalId)?.status ?? 'absent';
    if (status === 404) return [`the approval ${approvalId} was listed, then unknown`];
    if (status !== 200) return [];
    const expected = decision === 'approved' ? ['approved', 'consumed'] : ['denied', 'consumed'];
    return expected.includes(now) ? [] : [`the decision ${decision} of ${approvalId}: it is ${now}`];
  });
  const lostAnswers = answers.flatMap(({ runId, callIds }) =>
    known.has(runId) ? [] : [`the answers to ${callIds.join(', ')} of ${runId}`],
  );
  const artifacts = lostArtifacts.map((artifact) => `the artifact ${artifact}`);
  return [...lostRuns, ...lostDecisions, ...lostAnswers, ...artifacts, ...damagedUploads(evidence)];
}

// A completed run made each of its effects, or its trace says that it did not or that this is unknown.
function unreported(evidence: Evidence): readonly string[] {
  const { requested, effects, runs } = evidence;
  const made = new Set(effects.map(({ id }) => id));
  const labels = new Map(runs.flatMap((run) => (run.parentRunId === undefined ? [[labelOf(run), run] as const] : [])));
  return [...requested].flatMap(([label, workload]) => {
    const run = labels.get(label);
    if (run?.status !== 'completed') return [];
    return expectedEffects(workload, label)
      .filter(({ id }) => !made.has(id) && !isReported(id, evidence))
      .map(({ id }) => `${id} of ${nameOf(run)}`);
  });
}

function isReported(id: string, { runs }: Evidence): boolean {
  return runs.some(({ trace }) => trace.some((call) => mentions(call, id) && explained.includes(call.status)));
}

// The value of a script on its own says what happened to each of its calls.
function wrongValues({ runs, effects }: Evidence): readonly string[] {
  const made = new Set(effects.map(({ id }) => id));
  const scripts = runs.filter(
    ({ parentRunId, definition }) => parentRunId === undefined && definition.code !== undefined,
  );
  return scripts.flatMap((run) =>
    contradictions(claimsOf(labelOf(run), run.outcome?.result?.value), made).map((one) => `${nameOf(run)}: ${one}`),
  );
}

// The trace of a call whose result the model received must not say that its outcome is unknown.
function untracedResults({ runs, told }: Evidence): readonly string[] {
  const known = new Set(told.filter(({ text }) => !isOpen(text)).map(({ callId }) => callId));
  return runs.flatMap((run) =>
    run.trace
      .filter(
        ({ callId, status, errorCode }) => known.has(callId) && (status === 'unknown' || errorCode === unknownCode),
      )
      .map(
        ({ callId, tool }) =>
          `${tool} ${callId} of ${nameOf(run)} is unknown in the trace, and the model has its result`,
      ),
  );
}

// The result of a job comes later, as a message.
function isOpen(text: string): boolean {
  return text.startsWith('Error: The process ended') || text.startsWith('Running in the background');
}

function questionsWithoutCall({ approvals, runs }: Evidence): readonly string[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const asked = runs
    .filter((run) => !isLive(run))
    .flatMap((run) => run.questions.map(({ callId }) => `the question of ${callId} of ${nameOf(run)} is open`));
  const requests = approvals.flatMap((approval) => {
    const run = byId.get(approval.runId);
    if (run !== undefined && isLive(run)) return [];
    if (openStatuses.includes(approval.status))
      return [`${describe(approval)} is ${approval.status}, its run ${run?.status ?? 'absent'}`];
    if (run?.trace.some(({ callId }) => callId === approval.callId)) return [];
    return [`${describe(approval)} is ${approval.status}, and its call ${approval.callId} is not in the trace`];
  });
  return [...asked, ...requests];
}

function callsWithoutEnd({ runs, events }: Evidence): readonly string[] {
  return runs
    .filter(({ status }) => finalStatuses.includes(status))
    .flatMap((run) => [
      ...run.trace
        .filter(({ status }) => status === 'started')
        .map(({ callId, tool }) => `${tool} ${callId} of ${nameOf(run)} is "started" in the trace`),
      ...(events.get(run.id)?.openCalls ?? []).map((call) => `${call} of ${nameOf(run)} has no tool-result event`),
    ]);
}

function deniedEffects({ decisions, approvals, effects }: Evidence): readonly string[] {
  const denied = new Set(
    decisions.filter(({ decision, status }) => decision === 'denied' && status === 200).map((one) => one.approvalId),
  );
  const byEffect = new Map(
    approvals.filter(({ id }) => denied.has(id)).map((approval) => [approval.args?.id, approval]),
  );
  return effects.flatMap(({ id }) => {
    const approval = byEffect.get(id);
    return approval === undefined ? [] : [`${id}: ${describe(approval)} was denied`];
  });
}

function readingProblems({ runId, events }: Reading, evidence: Evidence): readonly string[] {
  const stored = evidence.events.get(runId)?.events ?? [];
  const position = new Map(stored.map(({ id }, index) => [id, index]));
  const ids = events.map(({ id }) => id);
  const twice = ids.length - new Set(ids).size;
  const unknown = events.filter(({ id }) => !position.has(id));
  const changed = events.filter(({ id, digest }) => stored[position.get(id) ?? -1]?.digest !== digest);
  const missed = stored.filter(({ id }) => !ids.includes(id));
  const isOrdered = ids.every(
    (id, index) => index === 0 || (position.get(id) ?? 0) > (position.get(ids[index - 1] ?? '') ?? 0),
  );
  const isUnfinished = evidence.runs.some((run) => run.id === runId && isLive(run));
  return [
    ...(twice > 0 ? [`${runId}: ${twice} events twice`] : []),
    ...(unknown.length > 0 ? [`${runId}: ${listed(unknown)} not stored`] : []),
    ...(changed.length > unknown.length ? [`${runId}: ${listed(changed)} stored differently`] : []),
    ...(missed.length > 0 && !isUnfinished ? [`${runId}: ${listed(missed)} never received`] : []),
    ...(!isOrdered && twice === 0 && unknown.length === 0 ? [`${runId}: out of order`] : []),
  ];
}

function endProblems({ runId, events }: Reading, { runs }: Evidence): readonly string[] {
  const run = runs.find(({ id }) => id === runId);
  const expected = run === undefined || isLive(run) ? 0 : 1;
  const ends = events.filter(({ isEnd }) => isEnd).length;
  return ends === expected ? [] : [`${runId} (${run?.status ?? 'absent'}): ${ends} ends instead of ${expected}`];
}

function listed(events: Reading['events']): string {
  const some = events.slice(0, 3).map(({ id, type }) => `${type} ${id}`);
  return `${events.length} events (${some.join(', ')})`;
}

function mentions({ argsPreview }: TracedCall, id: string): boolean {
  return argsPreview.includes(`"${id}"`);
}

function describe({ id, tool, args }: EndedApproval): string {
  return `the approval ${id} of ${tool} ${args?.id ?? ''}`;
}

function fateOf(effect: string, { runs }: Evidence): string {
  const run = runs.find((one) => one.parentRunId === undefined && effect.startsWith(`${labelOf(one)}/`));
  return run === undefined ? 'its run is absent' : `${nameOf(run)} is ${run.status}`;
}

/** Returns the label of the workload of a run. */
function labelOf({ task, definition }: EndedRun): string {
  const { code = '', details } = definition;
  return /"label":"(\w+)/.exec(task ?? details?.title ?? '')?.[1] ?? /id: "(\w+)" \+/.exec(code)?.[1] ?? '';
}

function nameOf(run: EndedRun): string {
  const { task, definition, parentRunId } = run;
  const title = task ?? definition.details?.title ?? '';
  const workload = /"workload":"([^"]+)"/.exec(title)?.[1] ?? (parentRunId === undefined ? 'script' : 'child');
  return `${run.id} (${workload} ${labelOf(run)})`;
}

function isLive({ status }: EndedRun): boolean {
  return !finalStatuses.includes(status);
}
