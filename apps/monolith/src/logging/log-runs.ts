import type { HookManager } from '@ravi/invoker';
import type { Logger } from '@ravi/kernel';
import { currentRequest } from './current-request.ts';

/** Writes what runs do to the log: ids, names, statuses and durations; never arguments, results or prompts. */
export function logRuns(hooks: HookManager, logger: Logger): void {
  hooks.observe('run-start', (run) => logger.info('a run starts', { ...run, ...currentRequest.getStore() }));
  hooks.observe('run-end', ({ usage: { inputTokens, outputTokens }, ...run }) =>
    logger.info('a run ends', { ...run, inputTokens, outputTokens }),
  );
  hooks.observe('chain-start', (chain) => logger.info('a script starts', { ...chain, ...currentRequest.getStore() }));
  hooks.observe('chain-end', (chain) => logger.info('a script ends', { ...chain }));
  hooks.observe('tool-end', (ended) => {
    const { runId, sessionId, callId, parentId, tool, caller, status, durationMs, bytes, errorCode } = ended;
    const fields = { runId, sessionId, callId, parentId, tool, caller, status, durationMs, bytes, errorCode };
    if (status === 'ok') logger.debug('a call ends', fields);
    else logger.info('a call ends', fields);
  });
  hooks.observe('llm-end', (answer) => {
    if (answer.errorCode !== undefined) logger.warn('a model did not answer', { ...answer });
  });
  hooks.observe('approval-requested', (request) => logger.info('an approval is asked for', { ...request }));
  hooks.observe('approval-decided', ({ approval: { requestId, decision, approver, waitedMs }, ...call }) =>
    logger.info('an approval is decided', { ...call, requestId, decision, approver, waitedMs }),
  );
  hooks.observe('guardrail-trip', ({ runId, sessionId, agent, guardrail }) =>
    logger.warn('a guardrail trips', { runId, sessionId, agent, guardrail }),
  );
  hooks.observe('budget-exceeded', (call) => logger.warn('a budget is used up', { ...call }));
}
