import type { QuestionAnswer } from '@ravi/agents';
import type { ApprovalMode } from '@ravi/capabilities';
import type { BlobStore, ChainPolicy, Run, RunStatus } from '@ravi/kernel';
import { runDetails } from '../../runs/run-details.ts';
import { agUiEvents } from '../events/ag-ui.ts';
import { aiUiEvents } from '../events/ai-ui.ts';
import type { DurableServices } from '../../runs/durable-services.ts';
import type { Redactor } from '../../logging/redactor.ts';
import { statsOf } from '../blobs/artifacts.ts';
import { maxScriptBodyBytes, scriptOf, scriptProperties } from '../scripts/script-request.ts';
import { raviEvents, streamEvents } from '../events/event-stream.ts';
import type { EventFormat } from '../events/event-stream.ts';
import { findRun } from '../../access/find-run.ts';
import { listAnswer, pageOf, pageQuery, resumeAfter } from '../core/operation.ts';
import type { ApiRequest, Operation } from '../core/operation.ts';
import { problem } from '../core/problem.ts';

const statuses: readonly RunStatus[] = ['running', 'paused', 'completed', 'failed', 'cancelled'];
const id = { type: 'string', minLength: 1, maxLength: 100 } as const;
const answerText = { type: 'string', maxLength: 100_000 } as const;

/** Services of {@link runOperations}. */
export interface RunServices {
  readonly durable: DurableServices;
  readonly policy: ChainPolicy;
  /** Mode of a script whose request names none. */
  readonly approvalMode: ApprovalMode;
  readonly blobStore: BlobStore;
  readonly redactor: Redactor;
  readonly lifetime: AbortSignal;
}

/** Runs of the agent and of scripts that outlive the request. */
export function runOperations(services: RunServices): readonly Operation[] {
  const { durable, policy, approvalMode, blobStore, redactor, lifetime } = services;
  const { store, runs, chains, recorder, storedEvents } = durable;
  const find = (request: ApiRequest): Promise<Run> => findRun(store.runs, request, request.params['id'] ?? '');

  return [
    {
      method: 'post',
      path: '/v1/runs',
      summary: 'Start a run of the agent or of a script; it goes on in the background.',
      role: 'run',
      maxBodyBytes: maxScriptBodyBytes(policy),
      body: {
        type: 'object',
        required: ['kind'],
        additionalProperties: false,
        properties: {
          kind: { enum: ['agent', 'chain'] },
          task: { type: 'string', minLength: 1, maxLength: 1_000_000, description: 'For the agent.' },
          sessionId: id,
          agent: { const: 'ravi', description: 'The only agent there is.' },
          approvalMode: { enum: ['wait', 'pause'], description: 'What a script does while a human is asked.' },
          ...scriptProperties,
        },
      },
      async answer({ body, caller: { principal } }) {
        const { kind, task, sessionId, code, approvalMode: mode = approvalMode } = body;
        const about = { principal, ...(sessionId === undefined ? {} : { sessionId: sessionId as string }) };
        if (kind === 'agent' && task === undefined) throw problem('E_REQUEST_INVALID', '"task" must be text');
        if (kind === 'chain' && code === undefined) throw problem('E_REQUEST_INVALID', '"code" must be text');
        const script = scriptOf(body, policy);
        const run =
          kind === 'agent'
            ? await runs.startAgent({ ...about, task: task as string, policy: script.policy })
            : await runs.startChain({ ...about, ...script, approvals: mode as ApprovalMode });
        return Response.json(run, { status: 201, headers: { location: `/v1/runs/${run.id}` } });
      },
    },
    {
      method: 'get',
      path: '/v1/runs',
      summary: 'List runs, newest first.',
      query: { ...pageQuery, status: { enum: statuses }, sessionId: id, kind: { enum: ['agent', 'chain'] } },
      async answer(request) {
        const { query, caller } = request;
        const { status, sessionId } = query as { readonly status?: RunStatus; readonly sessionId?: string };
        const filter = {
          ...(caller.roles.includes('admin') ? {} : { principal: caller.principal }),
          ...(status === undefined ? {} : { status }),
          ...(sessionId === undefined ? {} : { sessionId }),
        };
        const { items, next } = await store.runs.list(filter, pageOf(request));
        const { kind } = query;
        return listAnswer(
          items.filter(({ definition }) => kind === undefined || definition.kind === kind),
          next,
        );
      },
    },
    {
      method: 'get',
      path: '/v1/runs/{id}',
      summary: 'A run with its trace, usage, logs, artifacts and open questions.',
      async answer(request) {
        const run = await find(request);
        const details = runDetails(run, await recorder.read(run.id, 0));
        const { items } = await store.approvals.list({ runId: run.id, status: 'pending' });
        const pendingApprovals = items.map(({ request: { id: requestId, tool, expiresAt } }) => ({
          id: requestId,
          tool,
          expiresAt,
        }));
        const { artifactRefs, ...shown } = details;
        const { trace, logs } = redactor.strings({ trace: shown.trace, logs: shown.logs });
        return { ...shown, trace, logs, artifacts: await statsOf(blobStore, artifactRefs), pendingApprovals };
      },
    },
    {
      method: 'get',
      path: '/v1/runs/{id}/events',
      summary: 'What the run does, as server-sent events from its beginning or after Last-Event-ID.',
      query: { format: { enum: ['ravi', 'ai-ui', 'ag-ui'] }, after: { type: 'integer', minimum: 0 } },
      async answer(request) {
        const run = await find(request);
        const format = formatOf(request, run);
        return streamEvents(recorder, { runId: run.id, after: resumeAfter(request) ?? 0, format, lifetime });
      },
    },
    {
      method: 'get',
      path: '/v1/runs/{id}/exchanges',
      summary: 'The exact prompts, tool definitions and answers of the model, step by step.',
      answer: async (request) => listAnswer(await storedEvents.exchanges((await find(request)).id)),
    },
    {
      method: 'post',
      path: '/v1/runs/{id}/cancel',
      summary: 'End a run for good.',
      role: 'run',
      answer: async (request) => Response.json(await runs.cancel(await find(request)), { status: 202 }),
    },
    {
      method: 'post',
      path: '/v1/runs/{id}/resume',
      summary:
        'Go on with a run: a script answers with its result, also when it is over, the agent with its run. 409 for one without a result, as after a cancellation.',
      role: 'run',
      body: {
        type: 'object',
        additionalProperties: false,
        properties: {
          answer: {
            anyOf: [answerText, { type: 'object', additionalProperties: answerText }],
            description:
              'To the only question of an agent, or to each by its "callId". By name it answers no other question, so it may be sent again.',
          },
        },
      },
      async answer(request) {
        const run = await find(request);
        if (hasNoResult(run))
          throw problem('E_STATE_CONFLICT', `The run ${run.id} is ${run.status} and goes on no more`);
        if (run.definition.kind !== 'agent') return chains.resume(run.id);
        const { answer } = request.body;
        if (answer === undefined) throw problem('E_REQUEST_INVALID', '"answer" is missing');
        return runs.resumeAgent(run, answer as QuestionAnswer);
      },
    },
  ];
}

// A script that came to its end gives its result once more; one that somebody ended has none.
function hasNoResult({ status, outcome }: Run): boolean {
  return status === 'cancelled' || (outcome !== undefined && outcome.result === undefined);
}

function formatOf({ query }: ApiRequest, run: Run): EventFormat {
  if (query['format'] === 'ai-ui') return aiUiEvents(run.id);
  return query['format'] === 'ag-ui' ? agUiEvents(run) : raviEvents;
}
