import type { ApiRequest, Operation } from '../core/operation.ts';
import type { ApprovalMode } from '@ravi/capabilities';
import type { ChainPolicy } from '@ravi/kernel';
import type { ChainRunner } from '../../runs/chain-runner.ts';
import type { DurableServices } from '../../runs/durable-services.ts';
import { maxScriptBodyBytes, scriptOf, scriptProperties } from './script-request.ts';
import type { ScriptRequest } from './script-request.ts';
import { raviEvents, streamEvents } from '../events/event-stream.ts';
import { problem } from '../core/problem.ts';

/** The query of operations that run a script. */
export const streamQuery = {
  stream: { enum: ['0', '1'], description: '"1" tells the events of the run instead, and goes on without its client.' },
} as const;

/**
 * `POST /v1/chains` runs a script and answers with its `ChainRunResult`. With a state store the run goes on without its
 * client, and the answer has its `runId`; else it is cancelled when the client leaves.
 */
export function chainOperations(policy: ChainPolicy, runScript: ScriptRunner): readonly Operation[] {
  return [
    {
      method: 'post',
      path: '/v1/chains',
      summary: 'Run a script and wait for its result, or follow its events.',
      role: 'run',
      maxBodyBytes: maxScriptBodyBytes(policy),
      query: streamQuery,
      body: { type: 'object', required: ['code'], additionalProperties: false, properties: scriptProperties },
      answer: (request) => runScript(scriptOf(request.body, policy), request),
    },
  ];
}

/** Runs a script as its caller: the result, or a stream of the run's events whose run is named by `Content-Location`. */
export type ScriptRunner = (
  script: ScriptRequest,
  request: Pick<ApiRequest, 'caller' | 'query' | 'signal'>,
) => Promise<unknown>;

/** Services of {@link createScriptRunner}. */
export interface ScriptRunnerServices {
  readonly runChain: ChainRunner;
  /** Absent without a state store. */
  readonly durable: DurableServices | undefined;
  readonly config: { readonly chains: { readonly approvals: ApprovalMode } };
  readonly lifetime: AbortSignal;
}

/** Creates a runner that makes a script durable if there is a state store. */
export function createScriptRunner(services: ScriptRunnerServices): ScriptRunner {
  const { runChain, durable, config, lifetime } = services;
  return async (script, { caller: { principal }, query, signal }) => {
    const isStream = query['stream'] === '1';
    // Scripts in Python are not replayed.
    if (durable === undefined || script.language === 'python') {
      if (isStream) {
        throw problem('E_UNSUPPORTED', 'stream=1 needs a durable script (JavaScript and a state store)');
      }
      return runChain({ ...script, principal, signal });
    }
    const { chains, runs, recorder } = durable;
    const request = { ...script, principal, approvals: config.chains.approvals };
    if (!isStream) return chains.start(request);
    const { id: runId } = await runs.startChain(request);
    const format = { ...raviEvents, headers: { 'content-location': `/v1/runs/${runId}/events` } };
    return streamEvents(recorder, { runId, after: 0, format, lifetime });
  };
}
