import { given, placeOf } from './attributes.ts';
import type { Instruments } from './instruments.ts';
import { placeOfCall, placeOfChain, placeOfRun, placeOfStep } from './span-tree.ts';
import type { SpanTree } from './span-tree.ts';
import type { HookSource } from './telemetry.ts';

const failures: ReadonlySet<string> = new Set(['error', 'timeout', 'cancelled']);

/** Scripts, calls of tools wherever they come from, and what humans said to them. */
export function observeCalls(hooks: HookSource, spans: SpanTree, { toolDuration }: Instruments): (() => void)[] {
  return [
    hooks.observe('chain-start', (payload) => {
      const { runId, parentId, language } = payload;
      spans.open(placeOfChain(payload), 'invoke_workflow chain', {
        attributes: {
          'gen_ai.operation.name': 'invoke_workflow',
          'gen_ai.workflow.name': 'chain',
          'ravi.chain.language': language,
          ...placeOf(payload),
        },
        parents: [placeOfCall(runId, parentId), placeOfRun(runId)],
      });
    }),
    hooks.observe('chain-end', (payload) => {
      const { status, toolCalls, errorCode } = payload;
      spans.close(placeOfChain(payload), {
        attributes: { 'ravi.chain.status': status, 'ravi.chain.tool_calls': toolCalls },
        errorType: failures.has(status) ? (errorCode ?? status) : undefined,
      });
    }),
    hooks.observe('tool-start', (payload) => {
      const { runId, callId = '', parentId, tool, caller } = payload;
      spans.open(placeOfCall(runId, callId), `execute_tool ${tool}`, {
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': tool,
          'gen_ai.tool.call.id': callId,
          'gen_ai.tool.type': 'function',
          'ravi.tool.caller': caller,
          ...placeOf(payload),
        },
        parents: [placeOfChain(payload), placeOfCall(runId, parentId), placeOfStep(runId), placeOfRun(runId)],
      });
    }),
    hooks.observe('approval-requested', ({ runId, callId, risk }) => {
      spans.get(placeOfCall(runId, callId))?.setAttribute('ravi.tool.risk', risk);
    }),
    hooks.observe('approval-decided', ({ runId, callId, approval: { decision, waitedMs } }) => {
      spans
        .get(placeOfCall(runId, callId))
        ?.setAttributes({ 'ravi.approval.decision': decision, 'ravi.approval.waited_ms': waitedMs });
    }),
    hooks.observe('tool-end', ({ runId, callId, tool, status, durationMs, bytes, errorCode }) => {
      const errorType = status === 'ok' ? undefined : (errorCode ?? status);
      spans.close(placeOfCall(runId, callId), {
        attributes: given({ 'ravi.tool.status': status, 'ravi.tool.result.bytes': bytes }),
        errorType,
      });
      const measured = given({
        'gen_ai.operation.name': 'execute_tool',
        // A model can make up as many names as it likes.
        'gen_ai.tool.name': errorCode === 'E_TOOL_UNKNOWN' ? '_OTHER' : tool,
        'error.type': errorType,
      });
      toolDuration.record(durationMs / 1_000, measured);
    }),
  ];
}
