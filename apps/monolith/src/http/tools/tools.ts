import { api } from '@ravi/api';
import type { CallerAccess, Toolbox, ToolInvoker } from '@ravi/invoker';
import { toolDeclarations } from '@ravi/capabilities';
import { isLocalTool } from '@ravi/kernel';
import type { InvocationResult, RunJournal } from '@ravi/kernel';
import { describeTools } from '../../tools/describe-tool.ts';
import type { ToolMetrics } from '../../tools/tool-metrics.ts';
import type { ArtifactQuota } from '../blobs/artifact-quota.ts';
import { implement, listOf } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';
import { unknownOutcome } from '../core/keyed-requests.ts';
import { problem } from '../core/problem.ts';
import { createKeyedCalls } from './keyed-calls.ts';
import { createToolList } from './tool-list.ts';

/** Services of {@link toolOperations}. */
export interface ToolServices {
  readonly toolbox: Toolbox;
  readonly invoker: ToolInvoker;
  readonly toolAccess: CallerAccess;
  /** Absent without a state store. */
  readonly journal: RunJournal | undefined;
  readonly toolMetrics: ToolMetrics;
  readonly artifactQuota: ArtifactQuota;
  readonly lifetime: AbortSignal;
  /** Milliseconds until an artifact of a call expires. */
  readonly artifactTtlMs: number;
}

function known(result: InvocationResult): InvocationResult {
  if (result.error?.code === 'E_CALL_UNKNOWN') throw unknownOutcome();
  return result;
}

/** Implements the operations on tools. A call passes every gate of the invoker. */
export function toolOperations({
  toolbox,
  invoker,
  toolAccess,
  journal,
  lifetime,
  toolMetrics,
  artifactQuota,
  artifactTtlMs,
}: ToolServices): readonly Endpoint[] {
  const keyedCalls = createKeyedCalls({ journal, registry: toolbox });
  const replyWithAll = createToolList({ toolbox, invoker });
  return [
    implement(api.tools.list, ({ query: { q = '', risk: only }, headers, caller }) => {
      const filter = toolAccess.toolsOf(caller.principal);
      const wanted = q.toLowerCase().split(/\s+/).filter(Boolean);
      if (wanted.length === 0 && only === undefined) return replyWithAll(headers, filter);
      const all = describeTools(toolbox, invoker.policy, filter);
      return listOf(
        all.filter(({ name, description, risk }) => {
          const text = `${name} ${description}`.toLowerCase();
          return (only === undefined || risk === only) && wanted.every((word) => text.includes(word));
        }),
      );
    }),
    implement(api.tools.get, ({ params: { name }, caller }) => {
      const filter = toolAccess.toolsOf(caller.principal);
      const description = describeTools(toolbox, invoker.policy, filter).find((tool) => tool.name === name);
      const tool = toolbox.get(name);
      if (description === undefined || tool === undefined) {
        throw problem('E_TOOL_UNKNOWN', `There is no tool "${name}"`);
      }
      const stub = isLocalTool(tool) ? { stub: toolDeclarations([tool]).text } : {};
      return { ...description, ...stub, metrics: toolMetrics.of(name) };
    }),
    implement(api.tools.call, async ({ params: { name }, body, caller: { principal }, signal, keyed }) => {
      const { args = {}, sessionId } = body;
      // Before the call, because its effect must not happen twice when the caller tries again.
      artifactQuota.check(principal);
      const earlier = keyed?.isRepeated === true ? await keyedCalls.find(keyed.runId, name) : undefined;
      if (keyed?.isRepeated === true && earlier === undefined) throw unknownOutcome();
      if (earlier?.result !== undefined) return { ...known(earlier.result), sessionId: earlier.sessionId };
      await using session = invoker.openSession({
        principal,
        signal: AbortSignal.any([lifetime, signal]),
        artifactTtlMs,
        ...(keyed === undefined ? {} : keyedCalls.sessionOf(keyed.runId)),
        ...(sessionId === undefined ? {} : { sessionId }),
        ...(earlier === undefined ? {} : { sessionId: earlier.sessionId }),
      });
      let isExecuted = false;
      const onExecute = (): void => {
        isExecuted = true;
        keyed?.onBegin();
      };
      const { interrupted } = earlier ?? {};
      const result = known(await invoker.invoke({ name, args }, { session, onExecute, interrupted }));
      if (!isExecuted && result.error?.code === 'E_STATE_UNAVAILABLE') {
        keyed?.onNothingDone();
        throw problem('E_STATE_UNAVAILABLE', result.error.message);
      }
      return { ...result, sessionId: session.sessionId };
    }),
  ];
}
