import { deserialize, serialize } from 'node:v8';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { tool } from '@langchain/core/tools';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { createGateway } from '@ravi/gateway-kit';
import { answerTo, createLangChainTools } from '@ravi/langchain';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { createAgent, humanInTheLoopMiddleware } from 'langchain';
import type { AgentMiddleware } from 'langchain';
import type { Contender, Evidence, Probe } from '../contender.ts';
import type { GatedTool, RecordId } from '../gated-tool.ts';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** Tools and middleware as a program offers them. */
interface Offered {
  readonly tools: StructuredToolInterface[];
  readonly middleware: AgentMiddleware[];
  /** Value with which a person approves the calls of an interrupt. */
  readonly approval: (waiting: Waiting) => unknown;
}

type Offer = (gated: GatedTool) => Offered;

interface Waiting {
  readonly id?: string;
  readonly value?: { readonly actionRequests?: readonly { readonly name: string; readonly args: object }[] };
}

interface State {
  readonly messages: readonly unknown[];
  readonly __interrupt__?: readonly Waiting[];
}

const thread = { configurable: { thread_id: 'thread' } };
const question = { messages: [new HumanMessage({ id: 'question', content: 'Delete record 1' })] };
const deletes = (callId: string, id: string): Call => ({ id: callId, name: 'delete_record', args: { id } });

const readRecord = tool(() => 'a record', {
  name: 'read_record',
  description: 'Reads a record',
  schema: { type: 'object', properties: {} },
});

const approvals: AgentMiddleware = humanInTheLoopMiddleware({ interruptOn: { delete_record: true } } as never);

const plainTool = ({ name, description, inputSchema, execute }: GatedTool): StructuredToolInterface =>
  tool((args) => execute(args as RecordId), { name, description, schema: structuredClone(inputSchema) });

const plain: Offer = (gated) => ({
  tools: [readRecord, plainTool(gated)],
  middleware: [approvals],
  approval: () => ({ decisions: [{ type: 'approve' }] }),
});

const ravi: Offer = (gated) => ({
  tools: [readRecord, ...createLangChainTools(createGateway({ tools: [gated.tool] }))],
  middleware: [],
  approval: (waiting) => answerTo(waiting, 'approve'),
});

function modelOf(...steps: readonly (string | readonly Call[])[]): ReturnType<typeof fakeModel> {
  const model = fakeModel();
  for (const step of steps) {
    // The ids that the fake model gives start again with each model.
    const id = crypto.randomUUID();
    if (typeof step === 'string') model.respond(new AIMessage({ id, content: step }));
    else model.respond(new AIMessage({ id, content: '', tool_calls: step.map((call) => ({ ...call })) }));
  }
  return model;
}

const agentOf = (
  { tools, middleware }: Pick<Offered, 'tools' | 'middleware'>,
  model: ReturnType<typeof fakeModel>,
  checkpointer?: MemorySaver,
): { invoke(input: unknown, config: object): Promise<State> } =>
  createAgent({ model, tools, middleware, ...(checkpointer && { checkpointer }) }) as never;

function evidenceOf({ messages, __interrupt__: waiting = [] }: State): Evidence {
  const results = messages.filter((message) => ToolMessage.isInstance(message));
  return {
    asked: waiting.flatMap(({ value }) => value?.actionRequests?.map(({ name }) => name) ?? []),
    told: results.map(({ text }) => text).join('\n'),
  };
}

const calling =
  (offer: Offer, calls: readonly Call[]): Probe =>
  async (gated, signal) => {
    const agent = agentOf(offer(gated), modelOf(calls, 'Done'), new MemorySaver());
    return evidenceOf(await agent.invoke(question, { ...thread, signal }));
  };

const direct = (offer: Offer): Probe => calling(offer, [deletes('c1', '1')]);

const parallel = (offer: Offer): Probe =>
  calling(offer, [{ id: 'read', name: 'read_record', args: {} }, deletes('c1', '1'), deletes('c2', '2')]);

const subAgent =
  (offerInner: Offer): Probe =>
  async (gated, signal) => {
    const inner = agentOf(offerInner(gated), modelOf([deletes('inner', '1')], 'Deleted'));
    const clerk = tool(async () => JSON.stringify(evidenceOf(await inner.invoke(question, {})).told), {
      name: 'clerk',
      description: 'Asks the clerk',
      schema: { type: 'object', properties: {} },
    });
    const model = modelOf([{ id: 'c1', name: 'clerk', args: {} }], 'Done');
    const outer = agentOf({ tools: [clerk], middleware: [approvals] }, model, new MemorySaver());
    return evidenceOf(await outer.invoke(question, { ...thread, signal }));
  };

/** Has a person approve the open call of a run that is stored and restored, and continues it with these steps of the model. */
const resumed =
  (offer: Offer, ...steps: readonly (string | readonly Call[])[]): Probe =>
  async (gated, signal) => {
    const offered = offer(gated);
    const before = new MemorySaver();
    const state = await agentOf(offered, modelOf([deletes('c1', '1')]), before).invoke(question, { ...thread, signal });
    const [waiting] = state.__interrupt__ ?? [];
    if (waiting === undefined) throw new Error('The graph did not ask');
    gated.approve({ id: '1' });
    const { storage, writes } = before;
    const after = Object.assign(new MemorySaver(), deserialize(serialize({ storage, writes })));
    const resume = new Command({ resume: offered.approval(waiting) });
    return evidenceOf(await agentOf(offered, modelOf(...steps), after).invoke(resume, { ...thread, signal }));
  };

const afterResume = (offer: Offer): Probe => resumed(offer, [deletes('c2', '3')], 'Done');

const chain: Probe = async (gated, signal) => {
  await using sandbox = createVmSandbox({ unsafe: true });
  await using gateway = createGateway({ tools: [gated.tool], sandbox });
  const call = { id: 'code', name: 'tool_chain', args: { code: `return await tools.delete_record({ id: '1' });` } };
  return await calling(() => ({ ...ravi(gated), tools: createLangChainTools(gateway) }), [call])(gated, signal);
};

/** Asks in the tool, as the documentation of LangGraph shows, and answers two calls with one value that a person gave for the first. */
const interruptInTool: Probe = async (gated, signal) => {
  const asking = tool(
    async (args) => {
      const question = { actionRequests: [{ name: 'delete_record', args }] };
      const { approved } = interrupt<unknown, { readonly approved: boolean }>(question);
      return approved ? gated.execute(args as RecordId) : 'Not approved';
    },
    { name: gated.name, description: gated.description, schema: structuredClone(gated.inputSchema) },
  );
  const model = modelOf([deletes('c1', '1'), deletes('c2', '2')], 'Done');
  const agent = agentOf({ tools: [asking], middleware: [] }, model, new MemorySaver());
  await agent.invoke(question, { ...thread, signal });
  gated.approve({ id: '1' });
  return evidenceOf(await agent.invoke(new Command({ resume: { approved: true } }), { ...thread, signal }));
};

const background = { notOffered: 'LangGraph has no calls that run in the background.' };

/** LangChain with LangGraph. */
export const langChain: Contender = {
  name: 'LangChain',
  packages: ['langchain', '@langchain/langgraph', '@langchain/core'],
  without: {
    direct: direct(plain),
    parallel: parallel(plain),
    'code mode': { notOffered: 'Without Ravi, LangChain has no code mode.' },
    'sub-agent': subAgent(plain),
    'after resume': afterResume(plain),
    background,
  },
  with: {
    direct: direct(ravi),
    parallel: parallel(ravi),
    'code mode': chain,
    'sub-agent': subAgent(ravi),
    'after resume': afterResume(ravi),
    background,
  },
  notes: {
    direct: 'measured with `humanInTheLoopMiddleware`.',
    'sub-agent': 'both agents have the middleware.',
    'after resume': 'a checkpointer stores the state.',
  },
  variants: [
    {
      mode: 'parallel',
      setting: 'with `interrupt` in the tool, and one value without an id to resume with',
      probe: interruptInTool,
    },
    {
      mode: 'sub-agent',
      setting: 'with the middleware of the outer agent only',
      probe: subAgent((gated) => ({ ...plain(gated), middleware: [] })),
    },
  ],
  controls: [resumed(plain, 'Done'), resumed(ravi, 'Done')],
};
