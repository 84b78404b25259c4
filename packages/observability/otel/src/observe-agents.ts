import { placeOf, given, usageAttributes } from './attributes.ts';
import type { Instruments } from './instruments.ts';
import { placeOfAnswer, placeOfCall, placeOfRun, placeOfStep } from './span-tree.ts';
import type { SpanTree } from './span-tree.ts';
import type { HookSource } from './telemetry.ts';

const failures: ReadonlySet<string> = new Set(['failed', 'cancelled']);

/** Runs of agents, and their steps, which the conventions have no word for. */
export function observeAgents(hooks: HookSource, spans: SpanTree, { agentDuration }: Instruments): (() => void)[] {
  /** By the id of a run: the run that has handed it its task. */
  const givers = new Map<string, string>();

  function endStep(runId: string): void {
    spans.close(placeOfAnswer(runId));
    spans.close(placeOfStep(runId));
  }

  return [
    hooks.observe('handoff', ({ childRunId, runId }) => void givers.set(childRunId, runId)),
    hooks.observe('run-start', (payload) => {
      const { runId, parentId, agent } = payload;
      const giver = givers.get(runId);
      spans.open(placeOfRun(runId), `invoke_agent ${agent}`, {
        attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent, ...placeOf(payload) },
        parents: giver === undefined ? [] : [placeOfCall(giver, parentId), placeOfStep(giver), placeOfRun(giver)],
      });
    }),
    hooks.observe('run-end', ({ runId, agent, status, steps, usage, errorCode }) => {
      endStep(runId);
      givers.delete(runId);
      const errorType = failures.has(status) ? (errorCode ?? status) : undefined;
      const seconds = spans.close(placeOfRun(runId), {
        attributes: { ...usageAttributes(usage), 'ravi.run.status': status, 'ravi.run.steps': steps },
        errorType,
      });
      const measured = given({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': agent,
        'error.type': errorType,
      });
      if (seconds !== undefined) agentDuration.record(seconds, measured);
    }),
    hooks.observe('step-start', (payload) => {
      const { runId, step } = payload;
      // A step without an end: its run asked a model that did not answer.
      endStep(runId);
      spans.open(placeOfStep(runId), 'step', {
        attributes: { 'ravi.step.number': step, ...placeOf(payload) },
        parents: [placeOfRun(runId)],
      });
    }),
    hooks.observe('step-end', ({ runId }) => endStep(runId)),
  ];
}
