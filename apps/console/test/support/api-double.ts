import { Hono } from 'hono';
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { createWebApprovalHandler } from '@ravi/approval-web';
import { createMemoryApprovalStore } from '@ravi/testkit';
import type { ApprovalRequest, ApprovalDecisionInput, Run, Snippet, HistoryEntry } from '@ravi/kernel';
import type { RunDetails, SnippetSummary } from '@ravi/api';
import { budgets, jobs, settings, skills, snippets, tools } from './catalogue.ts';
import { channelMessages, channels, memories } from './messages.ts';
import { busyQueue, idleQueue, processes } from './queue.ts';
import { artifacts, bigArtifact, contents } from './contents.ts';
import { startDemoRun } from './demo-run.ts';
import type { DemoRun } from './demo-run.ts';
import { began, conversation, exchanges, failedRun, finishedEvents, finishedRun } from './runs.ts';

const token = 'token-of-the-tests-0123456789abcdefghij';

/** The API of the reference server over data of the tests. Approvals are those of the real handler. */
export interface ApiDouble {
  readonly app: Hono;
  /** Asks for an approval and waits for the answer. */
  ask(request: ApprovalRequest): Promise<ApprovalDecisionInput>;
  /** Adds a run. */
  addRun(run: RunDetails): void;
  /** Empties every list. */
  forgetAll(): void;
  /** From now on every request is refused with this status, until it is 0. */
  failWith(status: 0 | 401 | 500): void;
  close(): void;
}

/** Opens the double with a finished and a failed run. */
export function openApiDouble(): ApiDouble {
  const handler = createWebApprovalHandler({
    tokens: [{ token, principal: 'local', roles: ['approve'] }],
    store: createMemoryApprovalStore(),
    requestsPerMinute: 100_000,
  });
  const rules = { checkArguments: async () => [] };
  const waiting = new AbortController();
  const demos = new Map<string, DemoRun>();
  const added: RunDetails[] = [];
  let isEmpty = false;
  let failure: 0 | 401 | 500 = 0;
  const app = new Hono();
  const list = <Item>(items: readonly Item[]) => ({ items: isEmpty ? [] : items });
  const runs = (): readonly RunDetails[] => [
    ...[...demos.values()].map(({ view }) => view).toReversed(),
    ...added,
    finishedRun,
    failedRun,
  ];
  const missing = (context: Context) =>
    context.json({ error: { code: 'E_NOT_FOUND', message: 'There is no such thing' } }, 404);
  const one = <Item>(context: Context, item: Item | undefined) =>
    item === undefined ? missing(context) : context.json(item);

  app.use('/v1/*', async (context, next) => {
    if (failure !== 0 && context.req.path !== '/v1/session') {
      return context.json({ error: { code: 'E_TEST', message: 'The store is not there' } }, failure);
    }
    return next();
  });
  app.post('/v1/session', (context) => {
    failure = 0;
    return context.json({});
  });
  app.get('/v1/session', (context) =>
    failure === 401
      ? context.json({ error: { code: 'E_UNAUTHENTICATED', message: 'Sign in' } }, 401)
      : context.json({ principal: 'local', roles: ['run', 'approve', 'admin'], isSignedIn: false }),
  );
  app.all('/v1/approvals/*', ({ req }) => handler.fetch(withToken(req.raw), { rules }));
  app.all('/v1/approvals', ({ req }) => handler.fetch(withToken(req.raw), { rules }));
  app.get('/v1/settings', (context) => context.json(settings));
  app.get('/v1/budgets', (context) => context.json(list(budgets)));
  app.get('/v1/queue', (context) => context.json(isEmpty ? idleQueue : busyQueue));
  app.get('/v1/processes', (context) => context.json(list(processes)));
  app.get('/v1/channels', (context) => context.json(list(channels)));
  app.get('/v1/channels/:channel/messages', (context) => context.json(list(channelMessages)));
  app.get('/v1/memories', (context) => context.json(list(memories)));
  app.get('/v1/jobs', (context) => context.json(list(jobs)));
  app.get('/v1/tools', (context) =>
    context.json(list(tools.map(({ stub: _stub, metrics: _metrics, ...tool }) => tool))),
  );
  app.get('/v1/tools/:name', (context) =>
    one(
      context,
      tools.find(({ name }) => name === context.req.param('name')),
    ),
  );
  app.post('/v1/tools/:name', async (context) => {
    const { args } = await context.req.json<{ args: object }>();
    return context.json({ status: 'ok', text: 'done', structured: { received: args }, files: [] });
  });
  app.get('/v1/sources', (context) => context.json(list([])));
  app.get('/v1/workspaces', (context) => context.json(list([])));
  app.get('/v1/agents', (context) => context.json(list([])));
  app.get('/v1/skills', (context) => context.json(list(skills)));
  app.get('/v1/snippets', (context) => context.json(list(snippets.map(listedSnippet))));
  app.get('/v1/snippets/:name', (context) =>
    one(
      context,
      snippets.find(({ name }) => name === context.req.param('name')),
    ),
  );
  app.get('/v1/sessions', (context) => context.json(list([{ sessionId: 'session-1', runs: 1, lastRunAt: began }])));
  app.get('/v1/sessions/:id/history', (context) =>
    context.json(list(context.req.param('id') === 'session-1' ? historyEntries() : [])),
  );
  app.get('/v1/artifacts', (context) => context.json(list(artifacts)));
  app.get('/v1/artifacts/:ref', (context) =>
    one(
      context,
      [...artifacts, bigArtifact].find(({ ref }) => ref === context.req.param('ref')),
    ),
  );
  app.delete('/v1/artifacts/:ref', (context) => context.body(null, 204));
  app.get('/v1/artifacts/:ref/content', (context) => {
    const found = contents.get(context.req.param('ref'));
    if (found === undefined) return missing(context);
    const { mediaType, bytes } = found;
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(context.req.header('range') ?? '') ?? [];
    if (from === undefined) return context.body(bytes, 200, { 'content-type': mediaType });
    return context.body(bytes.slice(Number(from), Number(to) + 1), 206, { 'content-type': mediaType });
  });
  app.get('/v1/runs', (context) => {
    const { status, sessionId, kind } = context.req.query();
    const isWanted = (run: RunDetails): boolean =>
      (status === undefined || run.status === status) &&
      (sessionId === undefined || run.sessionId === sessionId) &&
      (kind === undefined || run.definition.kind === kind);
    return context.json(list(runs().filter(isWanted).map(recordOf)));
  });
  app.post('/v1/runs', async (context) => {
    const { task = 'A script', sessionId = `session-${demos.size + 2}` } = await context.req.json<{
      task?: string;
      sessionId?: string;
    }>();
    const demo = startDemoRun({ task, sessionId }, (request, signal) => handler.request(request, { signal }));
    demos.set(demo.view.id, demo);
    return context.json(recordOf(demo.view), 201);
  });
  app.get('/v1/runs/:id', (context) => {
    const found = runs().find(({ id }) => id === context.req.param('id'));
    return one(context, found);
  });
  app.get('/v1/runs/:id/exchanges', (context) => context.json(list(exchanges)));
  app.post('/v1/runs/:id/cancel', (context) => {
    const demo = demos.get(context.req.param('id'));
    demo?.cancel();
    return demo === undefined ? missing(context) : context.json(recordOf(demo.view), 202);
  });
  app.post('/v1/runs/:id/retry', (context) => {
    const index = added.findIndex(({ id, status }) => id === context.req.param('id') && status === 'blocked');
    const found = added[index];
    if (found === undefined) return missing(context);
    const { block: _, error: _error, ...run } = found;
    const retried: RunDetails = { ...run, status: 'running' };
    added[index] = retried;
    return context.json(recordOf(retried), 202);
  });
  app.get('/v1/runs/:id/events', (context) => {
    const id = context.req.param('id');
    const demo = demos.get(id);
    const stored = id === finishedRun.id ? finishedEvents : [];
    return streamSSE(context, async (stream) => {
      let sent = Number(context.req.header('last-event-id') ?? 0);
      while (!stream.aborted && !waiting.signal.aborted) {
        for (const { event, ...data } of (demo?.events ?? stored).slice(sent)) {
          sent += 1;
          await stream.writeSSE({ id: String(sent), event, data: JSON.stringify(data) });
        }
        if (demo === undefined) return;
        await demo.after(sent);
      }
    });
  });

  return {
    app,
    ask(request) {
      const decision = handler.request(request, { signal: waiting.signal });
      // Most tests end before their requests are decided.
      decision.catch(() => {});
      return decision;
    },
    addRun: (run) => void added.push(run),
    forgetAll: () => void (isEmpty = true),
    failWith: (status) => void (failure = status),
    close() {
      waiting.abort();
      handler.closeStreams();
    },
  };
}

function listedSnippet({ name, version, description, language, createdAt, tools: used }: Snippet): SnippetSummary {
  return { name, version, description, language, createdAt, tools: used.map((tool) => tool.name) };
}

/** A run without what only its details tell. */
function recordOf({
  id,
  principal,
  sessionId,
  definition,
  createdAt,
  updatedAt,
  status,
  epoch,
  block,
  outcome,
}: RunDetails): Run {
  const record = { id, principal, sessionId, definition, createdAt, updatedAt, status, epoch };
  return { ...record, ...(block === undefined ? {} : { block }), ...(outcome === undefined ? {} : { outcome }) };
}

function historyEntries(): readonly HistoryEntry[] {
  const summary = { length: 2, text: 'The user asked when to fly, and the flights are counted.' };
  const messages: readonly Pick<HistoryEntry, 'message' | 'details'>[] = [
    ...conversation.map((message) => ({ message })),
    { message: { role: 'user', content: [] }, details: { summary } },
  ];
  return messages.map((entry, index) => ({
    principal: 'local',
    sessionId: 'session-1',
    runId: finishedRun.id,
    ...entry,
    createdAt: began + index * 1_000,
    number: index + 1,
  }));
}

/** As a server does it on loopback, where everybody is the same principal. */
function withToken(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set('authorization', `Bearer ${token}`);
  return new Request(request, { headers });
}
