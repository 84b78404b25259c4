import { askUserTool, createAgentTool, ReActAgent } from '@ravi/agents';
import { createToolChainTool } from '@ravi/capabilities';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { defineTool } from '@ravi/kernel';
import type { JsonObject, ModelEvent, ModelProvider, Sandbox, Tool } from '@ravi/kernel';

/** Call of the model: the name of a tool and its arguments. */
type Call = readonly [name: string, args: JsonObject];

/** A run whose store fails, with what it does. */
export interface Scenario {
  readonly name: string;
  readonly kind: 'agent' | 'chain';
  /** Task of the agent or code of the script. */
  readonly work: string;
  readonly approvals?: 'wait' | 'pause';
  /** True if the first process is killed inside the call of `sync`. */
  readonly isKilled?: boolean;
  /** Answer to the question of the run. */
  readonly answer?: string;
  /** Effects in any order. `sync` is idempotent, so it happens again after a kill. */
  readonly effects: readonly string[];
}

/** Tools of a process, which report their effects to it. */
export interface World {
  readonly effects: string[];
  /** True while a call of `sync` must not end: its process is killed then. */
  isHeld: boolean;
}

const steps = (...all: readonly (readonly Call[])[]): string => JSON.stringify(all);
const launch = (target: string): Call => ['launch', { target }];
const detonate = (target: string): Call => ['detonate', { target }];
const script = (code: string): Call => ['tool_chain', { code }];

const gatedScript = `
  const first = await tools.launch({ target: 'one' });
  const [second, third] = await Promise.all([tools.detonate({ target: 'two' }), tools.launch({ target: 'three' })]);
  await sleep(1);
  return [first, second, third, await tools.launch({ target: 'four' })].join(', ');`;

const interruptedScript = `
  const first = await tools.launch({ target: 'one' });
  const second = await tools.sync({ target: 'two' });
  return [first, second, await tools.launch({ target: 'three' })].join(', ');`;

const ofGatedScript = ['launch one', 'detonate two', 'launch three', 'launch four'];

/** Every kind of run. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'agent with a script that waits for approval',
    kind: 'agent',
    approvals: 'wait',
    work: steps([script(gatedScript)], [launch('five')]),
    effects: [...ofGatedScript, 'launch five'],
  },
  {
    name: 'agent with a script that pauses for approval',
    kind: 'agent',
    approvals: 'pause',
    work: steps([script(gatedScript)]),
    effects: ofGatedScript,
  },
  {
    name: 'agent with two parallel calls',
    kind: 'agent',
    approvals: 'wait',
    work: steps([launch('one'), detonate('two')], [launch('three')]),
    effects: ['launch one', 'detonate two', 'launch three'],
  },
  {
    name: 'sub-agent with a script',
    kind: 'agent',
    approvals: 'wait',
    work: steps([['helper', { task: steps([script(gatedScript)], [launch('five')]) }]], [launch('six')]),
    effects: [...ofGatedScript, 'launch five', 'launch six'],
  },
  {
    name: 'agent with a background job',
    kind: 'agent',
    approvals: 'wait',
    work: steps([['report', { target: 'one' }], launch('two')], [launch('three')]),
    effects: ['report one', 'launch two', 'launch three'],
  },
  {
    name: 'killed agent with an interrupted script',
    kind: 'agent',
    approvals: 'wait',
    isKilled: true,
    work: steps([script(interruptedScript)], [launch('four')]),
    effects: ['launch one', 'sync two', 'sync two', 'launch three', 'launch four'],
  },
  {
    name: 'script that waits for approval',
    kind: 'chain',
    approvals: 'wait',
    work: gatedScript,
    effects: ofGatedScript,
  },
  {
    name: 'script that pauses for approval',
    kind: 'chain',
    approvals: 'pause',
    work: gatedScript,
    effects: ofGatedScript,
  },
  {
    name: 'agent with an answered question',
    kind: 'agent',
    approvals: 'wait',
    answer: 'yes',
    work: steps([launch('one'), ['ask_user', { question: 'May I?' }]], [launch('two')]),
    effects: ['launch one', 'launch two'],
  },
];

/** Makes the calls of one step of its task after another, then repeats all results. */
export const steppingModel: ModelProvider = {
  id: 'stepping',
  async *stream({ messages }): AsyncGenerator<ModelEvent> {
    const [task] = messages[0]?.content ?? [];
    const all = JSON.parse(task?.type === 'text' ? task.text : '[]') as readonly (readonly Call[])[];
    const done = messages.filter(({ role }) => role === 'assistant').length;
    const calls = all[done];
    for (const [index, [name, args]] of (calls ?? []).entries()) {
      yield { type: 'block', block: { type: 'tool_use', id: `call_${done}_${index}`, name, arguments: args } };
    }
    if (calls === undefined) {
      const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
      yield { type: 'block', block: { type: 'text', text: `Done after ${results.length} results` } };
    }
    const usage = { inputTokens: 1, outputTokens: 1 };
    yield { type: 'finish', reason: calls === undefined ? 'end' : 'tool-use', usage };
  },
};

/** Creates the tools of a process. */
export function createTools(world: World, sandbox: Sandbox): readonly Tool[] {
  const inputSchema = { type: 'object', properties: { target: { type: 'string' } }, required: ['target'] } as const;
  const effect = (name: string, more: Pick<Tool, 'risk' | 'idempotent' | 'mode'>): Tool =>
    defineTool({
      name,
      description: 'Has an effect.',
      inputSchema,
      ...more,
      async execute({ target }) {
        world.effects.push(`${name} ${target}`);
        if (name === 'sync' && world.isHeld) await new Promise(() => {});
        return `${name} ${target}`;
      },
    });
  const own = [
    effect('launch', { risk: 'high' }),
    effect('detonate', { risk: 'critical' }),
    effect('sync', { risk: 'high', idempotent: true }),
  ];
  return [...own, effect('report', { risk: 'high', mode: 'background' }), askUserTool, createHelper(own, sandbox)];
}

/** Creates a sub-agent whose scripts call its own tools. */
function createHelper(tools: readonly Tool[], sandbox: Sandbox): Tool {
  const registry = new Toolbox(tools);
  const invoker = new ToolInvoker({ registry, policy: { maxRiskUnapproved: 'high' } });
  registry.add(createToolChainTool({ invoker, sandbox, preflight: false }));
  return createAgentTool(new ReActAgent({ name: 'helper', model: steppingModel, invoker }));
}
