import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { createApprovalFeed, createStoredApprovals } from '@ravi/approval-kit';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createWebApprovalHandler } from '@ravi/approval-web';
import { connectEngine, createDurableChains, startRunRecovery } from '@ravi/capabilities';
import { createMemoryRunEngine } from '@ravi/engine-memory';
import { silentLogger as logger, systemClock as clock } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { Hono } from 'hono';
import { createTools } from './tools.ts';

const [folder = 'data', port = '7342'] = process.argv.slice(2);
const token = process.env['APPROVAL_TOKEN'];
if (token === undefined) throw new Error('APPROVAL_TOKEN must be set to a secret of at least 32 characters');

// #region compose
const store = await createSqliteStateStore({ file: join(folder, 'state.db') });
const approvals = store.approvals;
const feed = createApprovalFeed({ store: approvals, clock, logger });
const invoker = new ToolInvoker({
  registry: new Toolbox(createTools(folder)),
  approvalHandler: createStoredApprovals({ store: approvals, feed }),
  digestKey: createHash('sha256').update(token).digest(),
});
const chains = createDurableChains({ store, invoker, sandbox: createIsolatedVmSandbox() });
const engine = createMemoryRunEngine({ clock, logger });
await connectEngine({ store, engine, logger });
startRunRecovery({ engine, chains, store, feed, clock, logger });
const web = createWebApprovalHandler({ store: approvals, tokens: [{ token, principal: 'grace', roles: ['approve'] }] });
// #endregion

const app = new Hono();
// #region mount
app.on(['GET', 'POST', 'DELETE'], ['/approvals', '/v1/approvals/*'], ({ req }) => web.fetch(req.raw));
// #endregion
app.post('/runs/:id', async ({ req, json }) => {
  // A page of another site can send a form, but no JSON.
  if (req.header('content-type') !== 'application/json') return json({ error: 'Send { "code" } as JSON' }, 415);
  const { code } = await req.json<{ code: string }>();
  const runId = req.param('id');
  chains.start({ runId, code, approvals: 'pause' }).catch((error: unknown) => console.error(error));
  return json({ runId }, 202);
});
app.get('/runs/:id', async ({ req, json }) => {
  const run = await chains.get(req.param('id'));
  return run === undefined ? json({ status: 'unknown' }, 404) : json({ status: run.status, outcome: run.outcome });
});

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(port) }, (address) => {
  console.log(`listening on http://127.0.0.1:${address.port}`);
});
