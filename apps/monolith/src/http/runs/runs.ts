import { api } from '@ravi/api';
import type { QueryOf } from '@ravi/api';
import type { ChainPolicy, Clock, Run } from '@ravi/kernel';
import { readChildRuns } from '../../runs/child-runs.ts';
import { addInput } from '../../runs/add-input.ts';
import { runDetails } from '../../runs/run-details.ts';
import { agUiEvents } from '../events/ag-ui.ts';
import { aiUiEvents } from '../events/ai-ui.ts';
import type { DurableServices } from '../../runs/durable-services.ts';
import type { Redactor } from '../../logging/redactor.ts';
import type { ArtifactDamage } from '../blobs/artifact-damage.ts';
import { statsOf } from '../blobs/artifacts.ts';
import { nameSuspendedRun, runIdOf } from '../scripts/name-suspended-run.ts';
import { resultOfScript, scriptResultServices } from '../scripts/result-of-script.ts';
import { maxScriptBodyBytes, scriptOf } from '../scripts/script-request.ts';
import { raviEvents, streamEvents } from '../events/event-stream.ts';
import type { EventFormat, EventSources } from '../events/event-stream.ts';
import type { StreamPlaces } from '../events/stream-places.ts';
import { findRun } from '../access/caller.ts';
import { readExchanges } from '../../runs/stored-exchanges.ts';
import { implement, listOf, pageOf, Reply, eventAfter } from '../core/implement.ts';
import type { ApiRequest, Endpoint } from '../core/implement.ts';
import { problem } from '../core/problem.ts';

/** Services of {@link runOperations}. */
export interface RunServices {
  readonly durable: DurableServices;
  readonly policy: ChainPolicy;
  /** Inputs that a run may have and not have read. */
  readonly maxWaitingInputs: number;
  readonly artifactDamage: ArtifactDamage;
  readonly redactor: Redactor;
  readonly streamPlaces: StreamPlaces;
  readonly eventSources: EventSources;
  readonly lifetime: AbortSignal;
  readonly clock: Clock;
}

/** Implements the operations on runs of the agent and of scripts. */
export function runOperations(services: RunServices): readonly Endpoint[] {
  const { durable, policy, artifactDamage, redactor, streamPlaces, eventSources, lifetime, clock } = services;
  const { store, runs, recorder, approvalMode } = durable;
  const find = (request: ApiRequest<RunOperation>): Promise<Run> => findRun(store.runs, request, request.params.id);

  return [
    implement(
      api.runs.start,
      async ({ body, caller: { principal }, keyed }) => {
        const { kind, task, sessionId, code, agent } = body;
        const about = { principal, ...runIdOf(keyed), ...(sessionId === undefined ? {} : { sessionId }) };
        if (kind === 'agent' && task === undefined) throw problem('E_REQUEST_INVALID', '"task" must be text');
        if (kind === 'chain' && code === undefined) throw problem('E_REQUEST_INVALID', '"code" must be text');
        const script = scriptOf({ ...body, code: code ?? '' }, policy);
        // It may begin on another server, whose events this one reads from the store.
        const options = { mayWait: true };
        const agentRequest = {
          ...about,
          task: task ?? '',
          policy: script.policy,
          ...(agent === undefined ? {} : { agent }),
          ...(body.approvalMode === undefined ? {} : { approvals: body.approvalMode }),
        };
        const run =
          kind === 'agent'
            ? await runs.startAgent(agentRequest, options)
            : await runs.startChain({ ...about, ...script, approvals: body.approvalMode ?? approvalMode }, options);
        return new Reply(201, run, { location: `/v1/runs/${run.id}` });
      },
      { maxBodyBytes: maxScriptBodyBytes(policy) },
    ),
    implement(api.runs.list, async ({ query, caller }) => {
      const { status, sessionId, kind, parentRunId = null } = query;
      const filter = {
        ...(caller.roles.includes('admin') ? {} : { principal: caller.principal }),
        ...(status === undefined ? {} : { status }),
        ...(sessionId === undefined ? {} : { sessionId }),
        parentRunId,
      };
      const { items, next } = await store.runs.list(filter, pageOf(query));
      return listOf(
        items.filter(({ definition }) => kind === undefined || definition.kind === kind),
        next,
      );
    }),
    implement(api.runs.get, async (request) => {
      const run = await find(request);
      const details = runDetails(run, await recorder.recordOf(run.id));
      const children = await readChildRuns(store.runs, run.id);
      const { items } = await store.approvals.list({ runId: run.id, status: 'undecided' });
      const isAsked = ({ request }: (typeof items)[number]): boolean => request.completion === undefined;
      const pendingApprovals = items.filter(isAsked).map(({ status, request: { id, tool, expiresAt } }) => ({
        id,
        tool,
        expiresAt,
        status: status === 'parked' ? ('parked' as const) : ('pending' as const),
      }));
      const completions = items
        .filter((each) => !isAsked(each))
        .map(({ request: { id, callId, tool, requestedAt, expiresAt } }) => ({
          id,
          callId,
          tool,
          requestedAt,
          expiresAt,
        }));
      const { artifactRefs, inputsRead: read, ...shown } = details;
      const inputs = run.definition.kind === 'agent' ? await store.inputs.list(run.id) : [];
      const { trace, logs } = redactor.strings({ trace: shown.trace, logs: shown.logs });
      return {
        ...shown,
        trace,
        logs,
        artifacts: await statsOf(artifactDamage, artifactRefs),
        inputs: inputs.map((input) => ({ ...input, isRead: read.has(input.id) })),
        children,
        pendingApprovals,
        completions,
      };
    }),
    implement(api.runs.events, async (request) => {
      const run = await find(request);
      const format = formatOf(request.query.format, run);
      const after = eventAfter(request);
      return streamPlaces.open(request.caller.principal, (onEnd) =>
        streamEvents(eventSources, { runId: run.id, after, format, lifetime, onEnd }),
      );
    }),
    implement(api.runs.exchanges, async (request) => {
      const page = pageOf(request.query);
      // An invalid cursor is refused first, as in the lists that belong to no run.
      if (page.cursor !== undefined) await store.exchanges.list(request.params.id, { ...page, limit: 1 });
      return readExchanges(store, await findRun(store.runs, request, request.params.id), page);
    }),
    implement(api.runs.cancel, async (request) => new Reply(202, await runs.cancel(await find(request)))),
    implement(api.runs.retry, async (request) => new Reply(202, await runs.retry(await find(request)))),
    implement(api.runs.input, async (request) => {
      const { id: runId, definition } = await find(request);
      if (definition.kind !== 'agent') {
        throw problem('E_UNSUPPORTED', `Run ${runId} is the run of a script, which reads no input`);
      }
      // Every request with the same key has the same id.
      const id = request.keyed?.runId ?? `input_${crypto.randomUUID()}`;
      const input = { id, runId, text: request.body.text, createdAt: clock.now() };
      const added = await addInput(input, { inputs: store.inputs, recorder, maxWaiting: services.maxWaitingInputs });
      if (added === undefined) throw problem('E_RUN_ENDED', `Run ${runId} has ended and reads no further input`);
      return new Reply(202, added);
    }),
    implement(api.runs.resume, async (request) => {
      const run = await find(request);
      if (hasNoResult(run)) {
        throw problem('E_STATE_CONFLICT', `Run ${run.id} is ${run.status} and cannot be resumed`);
      }
      if (run.definition.kind !== 'agent') {
        const ends = { signal: request.signal, lifetime };
        const result = resultOfScript(run.id, undefined, scriptResultServices(durable, ends));
        return nameSuspendedRun(store.runs, run.id, result);
      }
      const { answer } = request.body;
      if (answer === undefined) throw problem('E_REQUEST_INVALID', '"answer" is missing');
      return nameSuspendedRun(store.runs, run.id, runs.resumeAgent(run, answer));
    }),
  ];
}

type RunOperation = typeof api.runs.get;

// Resuming a completed script returns its stored result; a cancelled one has none.
function hasNoResult({ status, outcome }: Run): boolean {
  return status === 'cancelled' || (outcome !== undefined && outcome.result === undefined);
}

function formatOf(format: QueryOf<typeof api.runs.events>['format'], run: Run): EventFormat {
  if (format === 'ai-ui') return aiUiEvents(run.id);
  return format === 'ag-ui' ? agUiEvents(run) : raviEvents;
}
