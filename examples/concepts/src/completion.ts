import assert from 'node:assert/strict';
import { createApprovalFeed, createCompletionDesk, createStoredApprovals } from '@ravi/approval-kit';
import { ToolInvoker, Toolbox } from '@ravi/invoker';
import { silentLogger as logger, systemClock as clock } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';

/** A tool whose work another system does, and that system. */
export async function completionExample(): Promise<void> {
  const queue: { readonly version: string; readonly token: string }[] = [];
  const startDeployment = async (version: string, token: string): Promise<void> => void queue.push({ version, token });

  // #region wait
  const deploy: Tool = {
    name: 'deploy',
    description: 'Deploys a version. Takes up to an hour.',
    risk: 'high',
    inputSchema: { type: 'object', properties: { version: { type: 'string' } }, required: ['version'] },
    outputSchema: { type: 'object', properties: { machines: { type: 'integer' } }, required: ['machines'] },
    async execute(args, context) {
      const { version } = args as { version: string };
      const completion = await context.completion({ expiresInMs: 3_600_000 });
      await startDeployment(version, completion.token);
      return completion.result;
    },
  };
  // #endregion

  await using store = await createSqliteStateStore({ file: ':memory:' });
  // #region program
  const feed = createApprovalFeed({ store: store.approvals, clock, logger });
  const invoker = new ToolInvoker({
    registry: new Toolbox([deploy]),
    policy: { maxRiskUnapproved: 'high' },
    approvalHandler: createStoredApprovals({ store: store.approvals, feed }),
  });
  const checkResult = invoker.checkResult.bind(invoker);
  const desk = createCompletionDesk({ store: store.approvals, feed, clock, checkResult });
  // #endregion

  await using session = invoker.openSession({ principal: 'ada' });
  const call = invoker.invoke({ name: 'deploy', args: { version: '1.4.0' } }, { session });
  while (queue.length === 0) await new Promise(setImmediate);
  const [{ token } = { token: '' }] = queue;
  // #region deliver
  const wrong = await desk.deliver(token, { result: 'done' });
  const first = await desk.deliver(token, { result: { machines: 3 } });
  const second = await desk.deliver(token, { error: { message: 'disk full' } });
  console.log(wrong.status, first.status, second.status); // invalid delivered ended
  // #endregion

  assert.deepEqual([wrong.status, first.status, second.status], ['invalid', 'delivered', 'ended']);
  assert.deepEqual((await call).structured, { machines: 3 });
}
