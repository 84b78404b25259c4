import assert from 'node:assert/strict';
import { keepProcess, ReActAgent } from '@ravi/agents';
import { createCompletionDesk, createStoredApprovals } from '@ravi/approval-kit';
import { createDurableChains } from '@ravi/capabilities';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { systemClock as clock } from '@ravi/kernel';
import type { CompleteStateStore, Completion, Tool, ToolContext } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createScriptedModel } from '@ravi/testkit';
import type { ScriptedTurn } from '@ravi/testkit';
import { test } from 'vitest';

/** Moment at which a process ends for good: before or after an operation of its store, or of its tool. */
type Moment =
  | 'before create'
  | 'after create'
  | 'in tool'
  | 'before consume'
  | 'after consume'
  | 'before finished'
  | undefined;

const never = new Promise<never>(() => {});
const runId = 'run-1';

/** The tool, and what it has given away. */
class Office {
  starts = 0;
  readonly completions: Completion[] = [];
  readonly reached = Promise.withResolvers<void>();
  moment: Moment;

  /** Hangs if the process ends now. */
  async at(moment: Moment): Promise<void> {
    if (this.moment !== moment) return;
    this.reached.resolve();
    await never;
  }

  tool(expiresInMs: number): Tool {
    return {
      name: 'deploy',
      description: 'Deploys elsewhere.',
      risk: 'high',
      inputSchema: { type: 'object' },
      execute: async (_args, context: ToolContext) => {
        this.starts++;
        const completion = await context.completion({ expiresInMs });
        this.completions.push(completion);
        await this.at('in tool');
        return completion.result;
      },
    };
  }
}

/** Returns the store as a process sees it that ends at the moment of the office. */
function mortal({ approvals, journal, ...store }: CompleteStateStore, office: Office): CompleteStateStore {
  return {
    ...store,
    approvals: {
      ...approvals,
      async create(...args) {
        await office.at('before create');
        const created = await approvals.create(...args);
        await office.at('after create');
        return created;
      },
      async consume(...args) {
        await office.at('before consume');
        const consumed = await approvals.consume(...args);
        await office.at('after consume');
        return consumed;
      },
    },
    journal: {
      ...journal,
      async finished(...args) {
        await office.at('before finished');
        await journal.finished(...args);
      },
    },
  };
}

interface Process {
  start(): Promise<unknown>;
  /** Continues the run and returns what its call gave; `undefined` if the run paused again. */
  resume(): Promise<string | undefined>;
}

type OpenProcess = (store: CompleteStateStore, tool: Tool, isFirst: boolean) => Process;

function invokerOver({ approvals, journal }: CompleteStateStore, tool: Tool): ToolInvoker {
  return new ToolInvoker({
    registry: new Toolbox([tool]),
    policy: { maxRiskUnapproved: 'high' },
    journal,
    digestKey: new Uint8Array(32).fill(7),
    approvalHandler: createStoredApprovals({ store: approvals }),
  });
}

const done: readonly ScriptedTurn[] = [{ text: 'done' }];

function agentOver(store: CompleteStateStore, tool: Tool, turns: readonly ScriptedTurn[]): Process {
  const { runs, history, jobs, journal, approvals } = store;
  const process = keepProcess({ store });
  const invoker = invokerOver(store, tool);
  const model = createScriptedModel(turns);
  const agent = new ReActAgent({ name: 'a', model, invoker, runs, history, jobs, process, approvals: 'pause' });
  return {
    start: () => agent.run('go', { runId, sessionId: 'session-1', principal: 'ada' }),
    async resume() {
      const run = await runs.get(runId);
      assert.ok(run);
      const { messages, status } = await agent.recover(run, { journal, approvals }).result;
      if (status === 'paused') return undefined;
      assert.equal(status, 'completed');
      return JSON.stringify(messages.at(-2)?.content);
    },
  };
}

const openers: Readonly<Record<string, OpenProcess>> = {
  agent: (store, tool, isFirst) => agentOver(store, tool, isFirst ? [{ toolCalls: [{ name: 'deploy' }] }] : done),
  job: (store, tool, isFirst) => {
    const background = { ...tool, mode: 'background' } as const;
    return agentOver(store, background, isFirst ? [{ toolCalls: [{ name: 'deploy' }] }, { text: 'later' }] : done);
  },
  script(store, tool) {
    const sandbox = createIsolatedVmSandbox({});
    const chains = createDurableChains({ store, sandbox, invoker: invokerOver(store, tool), preflight: false });
    const code = 'try { return await tools.deploy({}); } catch ({ code, message }) { return { code, message }; }';
    return {
      start: () => chains.start({ runId, code, principal: 'ada', approvals: 'pause' }),
      async resume() {
        const { value, status } = await chains.resume(runId);
        if (status === 'paused') return undefined;
        assert.equal(status, 'ok');
        return JSON.stringify(value);
      },
    };
  },
};

interface Kill {
  readonly moment: Moment;
  readonly expiresInMs?: number;
  readonly delivers?: 'before the kill' | 'after the kill';
  readonly gives: RegExp;
}

const kills: readonly Kill[] = [
  { moment: 'before create', gives: /E_CALL_UNKNOWN|outcome is unknown/ },
  { moment: 'after create', expiresInMs: 50, gives: /no result of it within/ },
  { moment: 'in tool', delivers: 'after the kill', gives: /three machines/ },
  { moment: 'before consume', delivers: 'before the kill', gives: /three machines/ },
  { moment: 'after consume', delivers: 'before the kill', gives: /three machines/ },
  { moment: 'before finished', delivers: 'before the kill', gives: /three machines/ },
];

for (const [kind, open] of Object.entries(openers)) {
  for (const { moment, expiresInMs = 60_000, delivers, gives } of kills) {
    test(`the process of one ${kind} that ends ${moment} neither loses the result nor runs the tool twice`, async () => {
      await using store = await createSqliteStateStore({ file: ':memory:' });
      const office = new Office();
      const desk = createCompletionDesk({ store: store.approvals, clock });
      const deliver = async (): Promise<void> => {
        while (office.completions.length === 0) await new Promise(setImmediate);
        const { status } = await desk.deliver(office.completions[0]?.token ?? '', { result: 'three machines' });
        assert.equal(status, 'delivered');
      };
      office.moment = moment;
      const tool = office.tool(expiresInMs);
      void open(mortal(store, office), tool, true)
        .start()
        .catch(() => {});
      if (delivers === 'before the kill') await deliver();
      await office.reached.promise;
      const { owner = '', epoch = 0 } = (await store.runs.get(runId)) ?? {};
      // As if its time had passed.
      assert.equal(await store.runs.release(runId, owner, epoch), true);

      office.moment = undefined;
      const second = open(store, tool, false);
      if (delivers === 'after the kill') await deliver();
      let given: string | undefined;
      while ((given = await second.resume()) === undefined) await store.approvals.expire(clock.now());
      assert.match(given, gives);
      assert.equal(office.starts, 1);
      const { items } = await store.approvals.list({ status: 'undecided' });
      assert.deepEqual(items, []);
    });
  }
}
