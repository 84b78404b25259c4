import type { RunEventOf } from '@ravi/kernel';
import { scopeAttributes, withoutUndefined, usageAttributes } from './attributes.ts';
import type { Instruments } from './instruments.ts';
import { modelCallKey, callKey, runKey, stepKey } from './span-tree.ts';
import type { SpanTree } from './span-tree.ts';
import type { HookSource } from './telemetry.ts';

const failures: ReadonlySet<string> = new Set(['failed', 'cancelled']);

/** Traces agent runs and their steps; the conventions have no name for a step. */
export function observeAgents(hooks: HookSource, spans: SpanTree, { agentDuration }: Instruments): (() => void)[] {
  /** Ids of the runs that delegated a task, by the id of the run that received it. */
  const delegators = new Map<string, string>();

  function endStep(runId: string): void {
    spans.close(modelCallKey(runId));
    spans.close(stepKey(runId));
  }

  function endRun(
    { runId, agent, steps, usage }: RunEventOf<'run-end' | 'run-paused'>,
    status: string,
    errorCode?: string,
  ): void {
    endStep(runId);
    delegators.delete(runId);
    const errorType = failures.has(status) ? (errorCode ?? status) : undefined;
    const seconds = spans.close(runKey(runId), {
      attributes: withoutUndefined({
        ...(usage === undefined ? {} : usageAttributes(usage)),
        'ravi.run.status': status,
        'ravi.run.steps': steps,
      }),
      errorType,
    });
    const measured = withoutUndefined({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'error.type': errorType,
    });
    if (seconds !== undefined) agentDuration.record(seconds, measured);
  }

  return [
    hooks.observe('handoff', ({ childRunId, runId }) => void delegators.set(childRunId, runId)),
    hooks.observe('run-start', (event) => {
      const { runId, parentId, agent = '' } = event;
      const delegator = delegators.get(runId);
      spans.open(runKey(runId), `invoke_agent ${agent}`, {
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': agent,
          ...scopeAttributes(event),
        },
        parents: delegator === undefined ? [] : [callKey(delegator, parentId), stepKey(delegator), runKey(delegator)],
      });
    }),
    hooks.observe('run-paused', (event) => endRun(event, 'paused')),
    hooks.observe('run-end', (event) => endRun(event, event.status, event.error?.code)),
    hooks.observe('step-start', (event) => {
      const { runId, step } = event;
      // The previous step did not end if its model call failed.
      endStep(runId);
      spans.open(stepKey(runId), 'step', {
        attributes: { 'ravi.step.number': step, ...scopeAttributes(event) },
        parents: [runKey(runId)],
      });
    }),
    hooks.observe('step-end', ({ runId }) => endStep(runId)),
  ];
}
