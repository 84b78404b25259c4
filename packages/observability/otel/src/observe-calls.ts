import { createToolLabel } from '@ravi/support';
import { withoutUndefined, scopeAttributes } from './attributes.ts';
import type { Instruments } from './instruments.ts';
import { callKey, chainKey, runKey, stepKey } from './span-tree.ts';
import type { SpanTree } from './span-tree.ts';
import type { HookSource } from './telemetry.ts';

const failures: ReadonlySet<string> = new Set(['error', 'timeout', 'cancelled']);

/** Traces scripts, tool calls from any caller, and their approvals; measures tool calls. */
export function observeCalls(hooks: HookSource, spans: SpanTree, { toolDuration }: Instruments): (() => void)[] {
  const labelOf = createToolLabel();
  return [
    hooks.observe('chain-start', (event) => {
      const { runId, parentId, language } = event;
      spans.open(chainKey(event), 'invoke_workflow chain', {
        attributes: {
          'gen_ai.operation.name': 'invoke_workflow',
          'gen_ai.workflow.name': 'chain',
          'ravi.chain.language': language,
          ...scopeAttributes(event),
        },
        parents: [callKey(runId, parentId), runKey(runId)],
      });
    }),
    hooks.observe('chain-end', (event) => {
      const { status, toolCalls, errorCode } = event;
      spans.close(chainKey(event), {
        attributes: { 'ravi.chain.status': status, 'ravi.chain.tool_calls': toolCalls },
        errorType: failures.has(status) ? (errorCode ?? status) : undefined,
      });
    }),
    hooks.observe('tool-call', (event) => {
      const { runId, callId = '', parentId, tool, caller } = event;
      spans.open(callKey(runId, callId), `execute_tool ${tool}`, {
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': tool,
          'gen_ai.tool.call.id': callId,
          'gen_ai.tool.type': 'function',
          'ravi.tool.caller': caller,
          ...scopeAttributes(event),
        },
        parents: [chainKey(event), callKey(runId, parentId), stepKey(runId), runKey(runId)],
      });
    }),
    hooks.observe('approval-requested', ({ runId, callId, risk, elicitation }) => {
      if (elicitation !== undefined) return;
      spans.get(callKey(runId, callId))?.setAttribute('ravi.tool.risk', risk);
    }),
    hooks.observe('approval-decided', ({ runId, callId, approval: { decision, waitedMs }, elicitation }) => {
      if (elicitation !== undefined) return;
      spans
        .get(callKey(runId, callId))
        ?.setAttributes({ 'ravi.approval.decision': decision, 'ravi.approval.waited_ms': waitedMs });
    }),
    hooks.observe('tool-denied', ({ runId, callId, code }) => {
      spans.get(callKey(runId, callId))?.setAttribute('ravi.tool.denied', code);
    }),
    hooks.observe('tool-result', (ended) => {
      const { runId, callId, tool, status, durationMs, bytes, errorCode, wasRecorded, isSuspended } = ended;
      const errorType = status === 'ok' || isSuspended === true ? undefined : (errorCode ?? status);
      spans.close(callKey(runId, callId), {
        attributes: withoutUndefined({ 'ravi.tool.status': status, 'ravi.tool.result.bytes': bytes }),
        errorType,
      });
      if (wasRecorded === true || isSuspended === true) return;
      const measured = withoutUndefined({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': labelOf(tool, errorCode),
        'error.type': errorType,
      });
      toolDuration.record(durationMs / 1_000, measured);
    }),
  ];
}
