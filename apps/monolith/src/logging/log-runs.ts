import type { HookManager } from '@ravi/invoker';
import type { Logger, LogFields, RunEventOf } from '@ravi/kernel';
import { currentRequest } from './current-request.ts';

/** Logs runs, scripts, calls and approvals: ids, names, statuses and durations; never arguments, results or prompts. */
export function logRuns(hooks: HookManager, logger: Logger): void {
  const withRequest = (fields: LogFields): LogFields => ({ ...fields, ...currentRequest.getStore() });
  hooks.observe('run-start', ({ type: _, ...run }) => logger.info('run started', withRequest(run)));
  hooks.observe('run-paused', (run) => logger.info('run ended', endFields(run, 'paused')));
  hooks.observe('run-end', (run) => logger.info('run ended', endFields(run, run.status, run.error?.code)));
  hooks.observe('chain-start', ({ type: _, ...chain }) => logger.info('script started', withRequest(chain)));
  hooks.observe('chain-end', ({ type: _, ...chain }) => logger.info('script ended', chain));
  hooks.observe('tool-result', (ended) => {
    const { runId, sessionId, callId, parentId, tool, caller, status, durationMs, bytes, errorCode } = ended;
    const fields = { runId, sessionId, callId, parentId, tool, caller, status, durationMs, bytes, errorCode };
    if (status === 'ok') logger.debug('call ended', fields);
    else logger.info('call ended', fields);
  });
  hooks.observe('model-end', ({ type: _, ...response }) => {
    if (response.errorCode !== undefined) logger.warn('model request failed', response);
  });
  hooks.observe('approval-requested', ({ type: _, ...request }) => logger.info('approval requested', request));
  hooks.observe('approval-decided', ({ type: _, approval: { requestId, decision, approver, waitedMs }, ...call }) =>
    logger.info('approval decided', { ...call, requestId, decision, approver, waitedMs }),
  );
  hooks.observe('guardrail-trip', ({ runId, sessionId, agent, guardrail }) =>
    logger.warn('guardrail tripped', { runId, sessionId, agent, guardrail }),
  );
  hooks.observe('budget-exceeded', ({ type: _, ...call }) => logger.warn('budget exceeded', call));
}

function endFields(
  { runId, sessionId, parentId, agent, steps, usage }: RunEventOf<'run-end' | 'run-paused'>,
  status: string,
  errorCode?: string,
): LogFields {
  const { inputTokens, outputTokens } = usage ?? {};
  return { runId, sessionId, parentId, agent, status, steps, errorCode, inputTokens, outputTokens };
}
