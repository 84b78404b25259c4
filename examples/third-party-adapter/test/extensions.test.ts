import { guardrailContract } from '@ravi/testkit/guardrail';
import { historyViewContract } from '@ravi/testkit/history-view';
import { interceptorContract } from '@ravi/testkit/interceptor';
import { middlewareContract } from '@ravi/testkit/middleware';
import { pluginContract } from '@ravi/testkit/plugin';
import { describe, test } from 'vitest';
import guardrail, { createWordGuardrail } from '../src/guardrail.ts';
import historyView, { createRecentView } from '../src/history-view.ts';
import interceptor, { createFolderInterceptor } from '../src/interceptor.ts';
import middleware, { createTeamMiddleware } from '../src/middleware.ts';

const call = { runId: 'r', sessionId: 's', tool: 'send_mail', caller: 'direct' } as const;

describe('interceptor', () => {
  interceptorContract(test, () => createFolderInterceptor({ folder: 'reports' }));
  pluginContract(test, interceptor, { folder: 'reports' });
});

describe('middleware', () => {
  middlewareContract(test, () => createTeamMiddleware({ team: 'sales' }));
  pluginContract(test, middleware, { team: 'sales' });
});

describe('guardrail', () => {
  guardrailContract(test, () => createWordGuardrail({ words: ['Falcon'] }), {
    output: { passes: 'A bird', trips: 'Project falcon' },
    call: { passes: { ...call, args: { text: 'A bird' } }, trips: { ...call, args: { text: 'Falcon' } } },
  });
  pluginContract(test, guardrail, { words: ['Falcon'] });
});

describe('history view', () => {
  historyViewContract(test, () => createRecentView({ messages: 4 }));
  pluginContract(test, historyView, {});
});
