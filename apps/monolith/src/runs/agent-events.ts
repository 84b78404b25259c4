import type { AgentEvent } from '@ravi/agents';
import type { JsonObject } from '@ravi/kernel';
import type { EventLog } from './event-log.ts';

/** Appends the events of an agent that no hook reports. */
export function recordAgentEvent(log: EventLog, event: AgentEvent): void {
  switch (event.type) {
    case 'step-start':
      return log.append('step', { step: event.step, status: 'started' });
    case 'step-end':
      return log.append('step', { step: event.step, status: 'ended' });
    case 'model-delta':
      return log.append('model-delta', { text: event.text });
    case 'reasoning-delta':
      return log.append('reasoning-delta', { text: event.text });
    case 'tool-progress': {
      const { callId, tool, update } = event;
      return log.append('tool-progress', { callId, tool, update: { ...update } });
    }
    case 'run-paused':
    case 'run-end': {
      const { status, reason, text, steps, usage, trace, error, paused } = event.result;
      // The next process resumes the run.
      if (error?.code === 'E_RUN_SUSPENDED') return;
      const failure = error === undefined ? {} : { error: { ...error } };
      const ended = { status, reason, text, steps, usage: { ...usage }, trace, ...failure };
      return status === 'paused'
        ? log.append('run', { status, questions: paused?.questions ?? [] } as unknown as JsonObject)
        : log.append('run-ended', ended as unknown as JsonObject);
    }
    default:
  }
}
