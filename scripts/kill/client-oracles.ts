import type { SentAnswer } from './answerer.ts';
import type { KeyedRequest } from './caller.ts';
import type { ToldResult } from './model.ts';
import type { Upload } from './uploads.ts';
import { claimsOf, expectedEffects } from './workloads.ts';
import type { Claims, WorkloadName } from './workloads.ts';
import type { Effect } from './world.ts';

/** Records of the clients and of the model, which are all outside the servers. */
export interface ClientEvidence {
  readonly effects: readonly Effect[];
  /** Workloads of all requests by label. */
  readonly requested: ReadonlyMap<string, WorkloadName>;
  readonly uploads: readonly Upload[];
  /** Uploads that servers no longer have as they were sent. */
  readonly lostUploads: readonly string[];
  readonly answers: readonly SentAnswer[];
  readonly keyedRequests: readonly KeyedRequest[];
  readonly told: readonly ToldResult[];
}

const deniedText = /^Error: The call of \w+ was denied/;
const unknownText = /^Error: The process ended while/;
// After a crash in the middle of a call, and after the client left it.
const truthfulCodes = ['E_CALL_UNKNOWN', 'E_CANCELLED'];

/** Returns effects that no request asked for, such as those of an agent that did not receive the answer of its user. */
export function unwantedEffects({ effects, requested, keyedRequests }: ClientEvidence): readonly string[] {
  const wanted = new Set([
    ...[...requested].flatMap(([label, workload]) => expectedEffects(workload, label).map(({ id }) => id)),
    ...keyedRequests.flatMap(({ label, kind }) => (kind === 'call' ? [`${label}/call`] : [])),
  ]);
  return effects.filter(({ id }) => !wanted.has(id)).map(({ kind, id, callId }) => `${kind} ${id} by ${callId}`);
}

/** Returns uploads that are lost or arrived with other content. */
export function damagedUploads({ uploads, lostUploads, effects }: ClientEvidence): readonly string[] {
  const arrived = effects.filter(({ kind }) => kind === 'deliver');
  const changed = uploads.flatMap(({ ref, label, digest }) =>
    arrived
      .filter((effect) => effect.id.startsWith(`${label}/`) && effect.digest !== digest)
      .map(({ callId }) => `the upload ${ref} of ${label} arrived with other content in ${callId}`),
  );
  return [...lostUploads.map((upload) => `the upload ${upload}`), ...changed];
}

/** Returns results that contradict the effects: those that the model and the clients received. */
export function wrongResults(evidence: ClientEvidence): readonly string[] {
  return [...wrongToModel(evidence), ...wrongToClients(evidence)];
}

function wrongToModel(evidence: ClientEvidence): readonly string[] {
  const { effects, told } = evidence;
  const byCall = Map.groupBy(effects, ({ callId }) => callId);
  const made = new Set(effects.map(({ id }) => id));
  const untrue = told.filter(({ label, callId, text }) => {
    const claims = claimsOfText(text, label);
    if (text.startsWith('Error: ') && !unknownText.test(text)) return !deniedText.test(text) || byCall.has(callId);
    return contradictions(claims, made).length > 0;
  });
  const changed = [...Map.groupBy(told, ({ label, callId }) => `${label}: ${callId}`)].filter(
    ([, same]) => same.length > 1,
  );
  return [
    ...untrue.map(({ label, callId, text }) => `${label}: ${callId} received ${JSON.stringify(text.slice(0, 200))}`),
    ...changed.map(
      ([call, same]) => `${call}: ${same.map(({ text }) => JSON.stringify(text.slice(0, 100))).join(', then ')}`,
    ),
  ];
}

function claimsOfText(text: string, label: string): Claims {
  const id = /^done: (\S+)/.exec(text)?.[1];
  if (id !== undefined) return { made: [id], notMade: [], failed: [] };
  const result = /^\{"first":[^}]*\}/.exec(text)?.[0];
  return claimsOf(label, result === undefined ? {} : JSON.parse(result));
}

function wrongToClients({ effects, keyedRequests }: ClientEvidence): readonly string[] {
  const made = new Set(effects.map(({ id }) => id));
  return keyedRequests.flatMap((request) => [
    ...contradictions(request, made),
    ...(isAnswered(request) ? [] : [`${request.label}: the ${request.kind} ended with ${request.code}`]),
  ]);
}

/** Returns what effects show to be untrue, or no fault explains. */
export function contradictions(claims: Claims, made: ReadonlySet<string>): readonly string[] {
  return [
    ...claims.made.filter((id) => !made.has(id)).map((id) => `${id} was not made`),
    ...claims.notMade.filter((id) => made.has(id)).map((id) => `${id} was made`),
    ...claims.failed,
  ];
}

function isAnswered({ kind, code }: KeyedRequest): boolean {
  return code === undefined || (kind === 'call' && truthfulCodes.includes(code));
}
