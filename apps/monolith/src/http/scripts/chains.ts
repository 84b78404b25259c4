import { api } from '@ravi/api';
import type { ChainResult } from '@ravi/api';
import { implement } from '../core/implement.ts';
import type { ApiRequest, Endpoint } from '../core/implement.ts';
import type { ApprovalMode, DurableChainResult } from '@ravi/capabilities';
import type { ChainPolicy, Sandbox } from '@ravi/kernel';
import { checkLanguage } from '@ravi/support';
import type { ChainRunner } from '../../runs/chain-runner.ts';
import type { DurableServices } from '../../runs/durable-services.ts';
import { nameSuspendedRun, newRunId, runIdOf } from './name-suspended-run.ts';
import { resultOfScript, scriptResultServices } from './result-of-script.ts';
import { maxScriptBodyBytes, scriptOf } from './script-request.ts';
import type { ScriptRequest } from './script-request.ts';
import { raviEvents, streamEvents } from '../events/event-stream.ts';
import type { EventSources } from '../events/event-stream.ts';
import type { StreamPlaces } from '../events/stream-places.ts';
import { unknownOutcome } from '../core/keyed-requests.ts';
import { problem } from '../core/problem.ts';

/**
 * Implements `POST /v1/chains`: runs a script and returns its `ChainRunResult`. With a state store the run continues if the
 * client disconnects, and the response has its `runId`; otherwise the run is cancelled.
 */
export function chainOperations(policy: ChainPolicy, runScript: ScriptRunner): readonly Endpoint[] {
  return [
    implement(api.chains.run, (request) => runScript(scriptOf(request.body, policy), request), {
      maxBodyBytes: maxScriptBodyBytes(policy),
    }),
  ];
}

/** Runs a script as its caller. Returns the result, or a stream of the run's events with `Content-Location` of the run. */
export type ScriptRunner = (
  script: ScriptRequest,
  request: Pick<ApiRequest<typeof api.chains.run>, 'caller' | 'query' | 'signal' | 'keyed'>,
) => Promise<ChainResult | Response>;

/** Services of {@link createScriptRunner}. */
export interface ScriptRunnerServices {
  readonly runChain: ChainRunner;
  readonly sandbox: Sandbox;
  /** Absent without a state store. */
  readonly durable: DurableServices | undefined;
  readonly config: { readonly approvals: { readonly mode?: ApprovalMode } };
  readonly streamPlaces: StreamPlaces;
  readonly eventSources: EventSources | undefined;
  readonly lifetime: AbortSignal;
}

/** Creates a runner that makes a script durable if there is a state store. */
export function createScriptRunner(services: ScriptRunnerServices): ScriptRunner {
  const { runChain, sandbox, durable, config, streamPlaces, eventSources, lifetime } = services;
  return async (script, { caller: { principal }, query, signal, keyed }) => {
    // A request that began in another process may have run there, also in a language that this process does not run.
    if (keyed?.isRepeated !== true) checkLanguage(sandbox, script.language ?? 'javascript');
    const isStream = query.stream === '1';
    if (durable === undefined || !durable.chains.canReplay(script.language ?? 'javascript')) {
      if (isStream) {
        throw problem(
          'E_UNSUPPORTED',
          'stream=1 needs a durable script: a state store, and a sandbox that can replay it',
        );
      }
      if (script.approve === 'set') {
        throw problem(
          'E_UNSUPPORTED',
          'approve "set" needs a durable script: a state store, and a sandbox that can replay it',
        );
      }
      if (keyed?.isRepeated === true) {
        throw unknownOutcome();
      }
      keyed?.onBegin();
      return runChain({ ...script, principal, signal });
    }
    const { chains, runs, pausedRuns, store, approvalMode } = durable;
    const request = { ...script, principal };
    if (!isStream) {
      const runId = keyed?.runId ?? newRunId();
      const isKnown = keyed !== undefined && (await chains.get(runId)) !== undefined;
      if (!isKnown) await pausedRuns.check(principal);
      // The client waits for the result.
      const approvals = config.approvals.mode ?? 'wait';
      const start = (): Promise<DurableChainResult> => chains.start({ ...request, runId, approvals });
      const services = scriptResultServices(durable, { signal, lifetime });
      const result = resultOfScript(runId, isKnown ? undefined : start, services);
      return nameSuspendedRun(store.runs, runId, result);
    }
    return streamPlaces.open(principal, async (onEnd) => {
      const { id: runId } = await runs.startChain({ ...request, ...runIdOf(keyed), approvals: approvalMode });
      const format = { ...raviEvents, headers: { 'content-location': `/v1/runs/${runId}/events` } };
      const sources = eventSources ?? { recorder: durable.recorder, runs: store.runs };
      return streamEvents(sources, { runId, format, lifetime, onEnd });
    });
  };
}
