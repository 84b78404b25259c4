import { api } from '@ravi/api';
import type { ApprovalMode } from '@ravi/agents';
import { KernelError } from '@ravi/kernel';
import type { JsonValue, RunStore } from '@ravi/kernel';
import type { RunService } from '../../runs/run-service.ts';
import { shutdownMessage, streamEvents } from '../events/event-stream.ts';
import type { EventSources } from '../events/event-stream.ts';
import type { StreamPlaces } from '../events/stream-places.ts';
import { findRun } from '../access/caller.ts';
import { implement } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';
import { problem } from '../core/problem.ts';
import type { AgentSet } from '../../agents/agent-set.ts';
import { RunProblem } from '../../runs/run-problem.ts';
import { responseFormat, runIdOf } from '../events/responses-format.ts';

/** Services of {@link responseOperations}. */
export interface ResponseServices {
  readonly store: RunStore;
  readonly runs: RunService;
  readonly eventSources: EventSources;
  readonly streamPlaces: StreamPlaces;
  /** Approval mode of the runs. */
  readonly approvals: ApprovalMode;
  /** Agents by name, which clients name as the model. */
  readonly agents: Pick<AgentSet, 'all'>;
  readonly lifetime: AbortSignal;
}

/** Implements `POST /v1/responses`: the agent, with the tools of the server, for clients of OpenAI's Responses API. */
export function responseOperations(services: ResponseServices): readonly Endpoint[] {
  const { store, runs, eventSources, streamPlaces, approvals, agents, lifetime } = services;
  return [
    implement(api.responses.create, async (request) => {
      const { input, stream, previous_response_id: previous, model } = request.body;
      const { principal } = request.caller;
      const before = previous === undefined ? undefined : await findRun(store, request, runIdOf(previous));
      const task = taskOf(input);
      // The client waits for the answer.
      const { keyed } = request;
      const named = keyed === undefined ? {} : { runId: keyed.runId };
      const asked = {
        task,
        principal,
        approvals,
        ...named,
        ...(model !== undefined && agents.all.has(model) ? { agent: model } : {}),
        ...(before === undefined ? {} : { sessionId: before.sessionId }),
      };
      const start = async (onEnd?: () => void) => {
        const run = await runs.startAgent(asked);
        const format = responseFormat(run);
        const about = { runId: run.id, format, lifetime, ...(onEnd && { onEnd }) };
        return { run, format, events: streamEvents(eventSources, about) };
      };
      if (stream === true) return streamPlaces.open(principal, async (onEnd) => (await start(onEnd)).events);
      const { run, format, events } = await start();
      await events.text();
      const { status } = (await store.get(run.id)) ?? run;
      if (lifetime.aborted && status === 'running') {
        throw new RunProblem(new KernelError('E_RUN_SUSPENDED', shutdownMessage), run.id);
      }
      return format.response;
    }),
  ];
}

function taskOf(input: JsonValue | undefined): string {
  if (typeof input === 'string') return input;
  const [message, ...others] = input as readonly { readonly role?: unknown; readonly content?: unknown }[];
  const content = message?.content;
  const parts = typeof content === 'string' ? [{ text: content }] : Array.isArray(content) ? content : [];
  const texts = parts.map((part: { readonly text?: unknown } | null) => part?.text);
  if (
    others.length === 0 &&
    message?.role === 'user' &&
    texts.length > 0 &&
    texts.every((text) => typeof text === 'string')
  ) {
    return texts.join('\n');
  }
  throw problem(
    'E_REQUEST_INVALID',
    '"input" must be text or one user message with text; continue a conversation with previous_response_id',
  );
}
