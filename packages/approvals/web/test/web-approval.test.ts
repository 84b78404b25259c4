import assert from 'node:assert/strict';
import type { ApprovalDecision, StateStore } from '@ravi/kernel';
import { isKernelError } from '@ravi/kernel';
import { createMemoryApprovalStore, createMemoryLogger } from '@ravi/testkit';
import { approvalHandlerContract } from '@ravi/testkit/approval-handler';
import { pluginContract } from '@ravi/testkit/plugin';
import { test } from 'vitest';
import plugin from '../src/index.ts';
import { approvers, openScene, tokens } from './support/handler.ts';

const stateStore = { approvals: createMemoryApprovalStore() } as unknown as StateStore;

pluginContract(test, plugin, { tokens: approvers }, { stateStore });

approvalHandlerContract(
  test,
  (answer) => {
    const store = createMemoryApprovalStore();
    const { handler, send } = openScene({ store });
    if (answer === 'silence') return handler;
    // Decides every request over HTTP.
    return {
      async request(request, options) {
        const result = handler.request(request, options);
        const body = bodies[answer];
        const path = `/v1/approvals/${encodeURIComponent(request.id)}/decision`;
        while ((await send('POST', path, { body, token: tokens.grace })).status === 404 && !options.signal.aborted);
        return result;
      },
    };
  },
  { answers: ['approved', 'denied', 'skipped', 'modified', 'silence'] },
);

const bodies: { readonly [Decision in ApprovalDecision]: object } = {
  approved: { decision: 'approved' },
  denied: { decision: 'denied', reason: 'not today' },
  skipped: { decision: 'skipped' },
  modified: { decision: 'modified', modifiedArgs: { path: 'other.md' } },
};

test('the plugin needs a state store and says so', () => {
  const context = { baseDir: '/', clock: openScene().clock, logger: createMemoryLogger() };
  const options = { tokens: approvers } as Parameters<typeof plugin.create>[0];
  assert.throws(
    () => plugin.create(options, context),
    (error) => isKernelError(error, 'E_CONFIG_INVALID') && /plugins\.stateStore/.test(error.message),
  );
});
