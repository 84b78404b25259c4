import type { HookManager } from '@ravi/invoker';
import type { Logger } from '@ravi/kernel';
import { currentRequest } from './current-request.ts';

/** Logs runs, scripts, calls and approvals: ids, names, statuses and durations; never arguments, results or prompts. */
export function logRuns(hooks: HookManager, logger: Logger): void {
  hooks.observe('run-start', (run) => logger.info('run started', { ...run, ...currentRequest.getStore() }));
  hooks.observe('run-end', ({ usage: { inputTokens, outputTokens }, ...run }) =>
    logger.info('run ended', { ...run, inputTokens, outputTokens }),
  );
  hooks.observe('chain-start', (chain) => logger.info('script started', { ...chain, ...currentRequest.getStore() }));
  hooks.observe('chain-end', (chain) => logger.info('script ended', { ...chain }));
  hooks.observe('tool-end', (ended) => {
    const { runId, sessionId, callId, parentId, tool, caller, status, durationMs, bytes, errorCode } = ended;
    const fields = { runId, sessionId, callId, parentId, tool, caller, status, durationMs, bytes, errorCode };
    if (status === 'ok') logger.debug('call ended', fields);
    else logger.info('call ended', fields);
  });
  hooks.observe('llm-end', (response) => {
    if (response.errorCode !== undefined) logger.warn('model request failed', { ...response });
  });
  hooks.observe('approval-requested', (request) => logger.info('approval requested', { ...request }));
  hooks.observe('approval-decided', ({ approval: { requestId, decision, approver, waitedMs }, ...call }) =>
    logger.info('approval decided', { ...call, requestId, decision, approver, waitedMs }),
  );
  hooks.observe('guardrail-trip', ({ runId, sessionId, agent, guardrail }) =>
    logger.warn('guardrail tripped', { runId, sessionId, agent, guardrail }),
  );
  hooks.observe('budget-exceeded', (call) => logger.warn('budget exceeded', { ...call }));
}
