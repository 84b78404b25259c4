import type { HookManager } from '@ravi/invoker';
import type { Logger, LogFields, RunEvent, RunEventOf } from '@ravi/kernel';
import { currentRequest } from './current-request.ts';

/** Logs runs, scripts, calls and approvals: ids, names, statuses and durations; never arguments, results or prompts. */
export function logRuns(hooks: HookManager, logger: Logger): void {
  const withRequest = (fields: LogFields): LogFields => ({ ...fields, ...currentRequest.getStore() });
  hooks.observe('run-start', ({ runId, sessionId, parentId, agent }) =>
    logger.info('run started', withRequest({ runId, sessionId, parentId, agent })),
  );
  hooks.observe('run-paused', (run) => logger.info('run ended', endFields(run, 'paused')));
  hooks.observe('run-end', (run) => logger.info('run ended', endFields(run, run.status, run.error?.code)));
  hooks.observe('chain-start', (chain) => logger.info('script started', withRequest(fieldsOf(chain))));
  hooks.observe('chain-end', (chain) => {
    const { status, errorCode, ...fields } = fieldsOf(chain);
    // It is continued later, here or on another server.
    if (errorCode === 'E_RUN_SUSPENDED') logger.info('script suspended', fields);
    else logger.info('script ended', { ...fields, status, errorCode });
  });
  hooks.observe('tool-result', (ended) => {
    const { runId, sessionId, callId, parentId, tool, caller, status, durationMs, bytes, errorCode } = ended;
    const place = { runId, sessionId, callId, parentId, tool, caller };
    const fields = { ...place, status, durationMs, bytes, errorCode };
    if (status === 'ok') logger.debug('call ended', fields);
    else if (ended.isSuspended === true) logger.info('call suspended', { ...place, durationMs });
    else logger.info('call ended', fields);
  });
  hooks.observe('tool-denied', (denied) => {
    // The caller and the line of its call have another code.
    if (denied.shownAs !== undefined) logger.info('call of a hidden tool', fieldsOf(denied));
  });
  hooks.observe('model-end', (response) => {
    if (response.errorCode === undefined) return;
    const { usage, ...fields } = fieldsOf(response) as LogFields & Pick<typeof response, 'usage'>;
    logger.warn('model request failed', { ...fields, ...usage });
  });
  hooks.observe('approval-requested', (request) =>
    logger.info(request.elicitation === undefined ? 'approval requested' : 'input requested', fieldsOf(request)),
  );
  hooks.observe('completion-requested', (request) => logger.info('result from outside requested', fieldsOf(request)));
  hooks.observe('completion-ended', (ended) => logger.info('result from outside', fieldsOf(ended)));
  hooks.observe('approval-decided', (decided) => {
    const { type: _, approval, ...call } = decided;
    const { requestId, decision, approver, waitedMs } = approval;
    logger.info(decided.elicitation === undefined ? 'approval decided' : 'input decided', {
      ...call,
      requestId,
      decision,
      approver,
      waitedMs,
    });
  });
  hooks.observe('guardrail-trip', ({ runId, sessionId, agent, guardrail }) =>
    logger.warn('guardrail tripped', { runId, sessionId, agent, guardrail }),
  );
  hooks.observe('budget-exceeded', (call) => logger.warn('budget exceeded', fieldsOf(call)));
}

/** Returns the payload and the ids of an event. */
function fieldsOf(event: RunEvent): LogFields {
  const { type: _, ...fields } = event;
  return fields;
}

function endFields(
  { runId, sessionId, parentId, agent, steps, usage }: RunEventOf<'run-end' | 'run-paused'>,
  status: string,
  errorCode?: string,
): LogFields {
  const { inputTokens, outputTokens } = usage ?? {};
  return { runId, sessionId, parentId, agent, status, steps, errorCode, inputTokens, outputTokens };
}
