import type { ApiRequest, Operation } from '../core/operation.ts';
import type { HttpAppOptions } from '../app.ts';
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
export function chainOperations(options: HttpAppOptions): readonly Operation[] {
  const { policy } = options.invoker;
  return [
    {
      method: 'post',
      path: '/v1/chains',
      summary: 'Run a script and wait for its result, or follow its events.',
      role: 'run',
      maxBodyBytes: maxScriptBodyBytes(policy),
      query: streamQuery,
      body: { type: 'object', required: ['code'], additionalProperties: false, properties: scriptProperties },
      answer: (request) => runScript(scriptOf(request.body, policy), request, options),
    },
  ];
}

/** Runs a script as its caller: the result, or a stream of the run's events whose run is named by `Content-Location`. */
export async function runScript(
  script: ScriptRequest,
  { caller: { principal }, query, signal }: Pick<ApiRequest, 'caller' | 'query' | 'signal'>,
  { runChain, stateful, approvalMode, lifetime }: HttpAppOptions,
): Promise<unknown> {
  const isStream = query['stream'] === '1';
  // Scripts in Python are not replayed.
  if (stateful === undefined || script.language === 'python') {
    if (isStream) throw problem('E_UNSUPPORTED', 'Events are told of durable scripts only');
    return runChain({ ...script, principal, signal });
  }
  const { chains, runs, recorder } = stateful;
  const request = { ...script, principal, approvals: approvalMode };
  if (!isStream) return chains.start(request);
  const { id: runId } = await runs.startChain(request);
  const format = { ...raviEvents, headers: { 'content-location': `/v1/runs/${runId}/events` } };
  return streamEvents(recorder, { runId, after: 0, format, lifetime });
}
