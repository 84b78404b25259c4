import { askUserTool, createAgentTool, defineStatefulTool, keepProcess, ReActAgent } from '@ravi/agents';
import type { AgentOptions } from '@ravi/agents';
import { ToolInvoker } from '@ravi/invoker';
import { randomId } from '@ravi/support';
import { createScriptedModel, neverAnswers } from '@ravi/testkit';
import type { ScriptedModel, ScriptedTurn } from '@ravi/testkit';
import { requested } from './faults.ts';
import { createPay, paySchema } from './world.ts';
import type { World } from './world.ts';

/** Makes one call of `pay` with the requested arguments and resolves when its run has ended. */
export type Path = (world: World) => Promise<unknown>;

const pay: ScriptedTurn = { toolCalls: [{ name: 'pay', arguments: requested }] };

// Enough responses for runs that read results of jobs.
function createModel(...turns: readonly ScriptedTurn[]): ScriptedModel {
  return createScriptedModel([...turns, ...Array.from({ length: 6 }, () => ({ text: 'done' }))]);
}

function createAgent(world: World, model: ScriptedModel, more: Partial<AgentOptions> = {}): ReActAgent {
  return new ReActAgent({ name: 'clerk', model, invoker: world.invoker, ...more });
}

async function runAgent(world: World, model: ScriptedModel, more: Partial<AgentOptions> = {}): Promise<unknown> {
  return createAgent(world, model, more).run('go', { signal: world.signal });
}

type AgentPath =
  | 'model'
  | 'context'
  | 'skill'
  | 'sub-agent'
  | 'background'
  | 'promoted'
  | 'stateful'
  | 'resumed'
  | 'recovered'
  | 'provider-script';

/** Paths of agents. */
export const agentPaths: Readonly<Record<AgentPath, Path>> = {
  model(world) {
    world.toolbox.add(createPay(world.effects));
    return runAgent(world, createModel(pay));
  },
  context(world) {
    world.toolbox.add(createPay(world.effects));
    let hasPaid = false;
    const step: Required<NonNullable<AgentOptions['middleware']>[number]>['step'] = async (context, next) => {
      if (!hasPaid) {
        hasPaid = true;
        await context.tool('pay', requested);
      }
      await next();
    };
    return runAgent(world, createModel(), { middleware: [{ step }] });
  },
  skill(world) {
    world.toolbox.add(createPay(world.effects));
    const skill = { name: 'paying', description: 'd', instructions: 'Pay.', version: '1', allowedTools: ['pay'] };
    const activate = { toolCalls: [{ name: 'activate_skill', arguments: { name: 'paying' } }] };
    return runAgent(world, createModel(activate, pay), { skills: [skill] });
  },
  'sub-agent'(world) {
    world.toolbox.add(createPay(world.effects));
    const helper = new ReActAgent({ name: 'helper', model: createModel(pay), invoker: world.invoker });
    world.toolbox.add(createAgentTool(helper));
    return runAgent(world, createModel({ toolCalls: [{ name: 'helper', arguments: { task: 'pay' } }] }));
  },
  background(world) {
    world.toolbox.add(createPay(world.effects, { mode: 'background' }));
    return runAgent(world, createModel(pay));
  },
  promoted(world) {
    world.toolbox.add(createPay(world.effects));
    return runAgent(world, createModel(pay), { promoteAfterMs: 1 });
  },
  stateful(world) {
    const tools = defineStatefulTool({
      name: 'pay',
      description: 'Pays in two steps.',
      inputSchema: paySchema,
      risk: 'high',
      async *execute(args) {
        world.effects.push({ ...args });
        yield 'paid';
        return 'done';
      },
    });
    for (const tool of tools) world.toolbox.add(tool);
    return runAgent(world, createModel(pay));
  },
  async resumed(world) {
    world.toolbox.add(createPay(world.effects));
    world.toolbox.add(askUserTool);
    const ask = { toolCalls: [{ name: 'ask_user', arguments: { question: 'Pay?' } }] };
    const { paused } = await createAgent(world, createModel(ask)).run('go');
    if (paused === undefined) throw new Error('The run did not pause');
    const stored = JSON.parse(JSON.stringify(paused)) as typeof paused;
    return createAgent(world, createModel(pay)).resume(stored, 'yes', { signal: world.signal });
  },
  async recovered(world) {
    const { state, toolbox, invoker, signal } = world;
    toolbox.add(createPay(world.effects));
    const stores = { history: state.history, runs: state.runs };
    const where = { runId: randomId('run'), sessionId: randomId('session'), principal: 'local' };
    // The first process asks an approver who is gone with it.
    const unanswered = neverAnswers();
    // The next process keeps the policy of the run.
    const { journal } = state;
    const earlier = new ToolInvoker({
      registry: toolbox,
      journal,
      approvalHandler: unanswered,
      policy: invoker.policy,
    });
    const first = new AbortController();
    await using process = keepProcess({ store: state });
    const before = new ReActAgent({ name: 'clerk', model: createModel(pay), invoker: earlier, ...stores, process });
    const ending = before.run('go', { ...where, signal: first.signal });
    await unanswered.asked(0);
    await state.runs.release(where.runId, process.id);
    const row = await state.runs.get(where.runId);
    if (row === undefined) throw new Error('The run is not stored');
    await using next = keepProcess({ store: state });
    const after = new ReActAgent({ name: 'clerk', model: createModel(), invoker, ...stores, process: next });
    const result = await after.recover(row, { journal, signal }).result;
    first.abort();
    await ending;
    return result;
  },
  'provider-script'(world) {
    world.toolbox.add(createPay(world.effects));
    const block = { type: 'tool_use', id: 'call-1', name: 'pay', arguments: requested, caller: 'chain' } as const;
    return runAgent(world, createModel({ blocks: [block], reason: 'tool-use' }));
  },
};
