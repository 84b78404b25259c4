import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import type { ToolsInput } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import type { PublicSchema } from '@mastra/core/schema';
import { InMemoryStore } from '@mastra/core/storage';
import { createCodeMode, Tool } from '@mastra/core/tools';
import type { WorkflowRunState } from '@mastra/core/workflows';
import { LocalSandbox } from '@mastra/core/workspace';
import { createGateway } from '@ravi/gateway-kit';
import { createMastraTools } from '@ravi/mastra';
import { createVmSandbox } from '@ravi/sandbox-vm';
import type { MockLanguageModelV4 } from 'ai/test';
import type { Contender, Evidence, Probe } from '../contender.ts';
import type { GatedTool, RecordId } from '../gated-tool.ts';
import { createModel } from './mock-model.ts';
import type { Call } from './mock-model.ts';

type Output = Awaited<ReturnType<Agent['generate']>>;

/** Tools as a program offers them. */
interface Offered {
  readonly tools: ToolsInput;
  /** Value with which a person approves a suspended call. */
  readonly approval: (suspendPayload: unknown) => unknown;
}

type Offer = (gated: GatedTool) => Offered;

const prompt = 'Delete record 1';
const deletes = (toolCallId: string, id: string, more: object = {}): Call => ({
  toolCallId,
  toolName: 'delete_record',
  input: { id, ...more },
});

const readRecord = new Tool({
  id: 'read_record',
  description: 'Reads a record',
  inputSchema: { type: 'object', properties: {} },
  execute: async () => 'a record',
});

type Execute = NonNullable<ConstructorParameters<typeof Tool<RecordId, string>>[0]['execute']>;

const plainTool = (
  { name, description, inputSchema }: GatedTool,
  execute: Execute,
  more: object,
): Tool<RecordId, string> =>
  new Tool<RecordId, string>({
    id: name,
    description,
    inputSchema: structuredClone(inputSchema) as unknown as PublicSchema<RecordId>,
    execute,
    ...more,
  });

const plain: Offer = (gated) => ({
  tools: {
    read_record: readRecord,
    delete_record: plainTool(gated, (args) => gated.execute(args), { requireApproval: true }),
  },
  approval: () => ({ approved: true }),
});

const ravi: Offer = ({ tool }) => {
  const { tools, answer } = createMastraTools(createGateway({ tools: [tool] }));
  return { tools: { read_record: readRecord, ...tools }, approval: (payload) => answer(payload, 'approve') };
};

interface Parts {
  readonly tools?: ToolsInput;
  readonly agents?: Record<string, Agent>;
  readonly storage?: InMemoryStore;
}

function agentOf(
  id: string,
  mock: MockLanguageModelV4,
  { storage = new InMemoryStore(), tools = {}, agents = {} }: Parts,
): Agent {
  // Mastra has types of its own for models.
  const model = mock as unknown as MastraModelConfig;
  const agent = new Agent({ id, name: id, description: id, instructions: 'You help', model, tools, agents });
  new Mastra({ agents: { [id]: agent }, storage, logger: false });
  return agent;
}

function evidenceOf(
  { suspendPayload }: Pick<Output, 'suspendPayload'>,
  { doGenerateCalls }: MockLanguageModelV4,
): Evidence {
  const results = doGenerateCalls.at(-1)?.prompt.filter(({ role }) => role === 'tool') ?? [];
  return { asked: toolsIn(suspendPayload), told: results.length === 0 ? '' : JSON.stringify(results) };
}

/** Returns the tools that a payload asks for: a supervisor wraps that of its agent, and Ravi names the calls of a script. */
function toolsIn(payload: unknown): readonly string[] {
  if (typeof payload !== 'object' || payload === null) return [];
  const { toolName, suspendPayload, requests } = payload as {
    readonly toolName?: string;
    readonly suspendPayload?: unknown;
    readonly requests?: readonly { readonly tool: string }[];
  };
  return [
    ...(toolName === undefined ? [] : [toolName]),
    ...(requests?.map(({ tool }) => tool) ?? []),
    ...toolsIn(suspendPayload),
  ];
}

const calling =
  (offer: Offer, ...calls: readonly Call[]): Probe =>
  async (gated, abortSignal) => {
    const model = createModel(calls, 'Done');
    const agent = agentOf('clerk', model, offer(gated));
    return evidenceOf(await agent.generate(prompt, { abortSignal }), model);
  };

const direct = (offer: Offer): Probe => calling(offer, deletes('c1', '1'));

const parallel = (offer: Offer): Probe =>
  calling(offer, { toolCallId: 'read', toolName: 'read_record', input: {} }, deletes('c1', '1'), deletes('c2', '2'));

const codeMode =
  (offer: Offer): Probe =>
  (gated, signal) => {
    const { tools, approval } = offer(gated);
    const { tool } = createCodeMode({ tools, sandbox: new LocalSandbox() });
    const code = `return await external_delete_record({ id: '1' });`;
    const call = { toolCallId: 'code', toolName: tool.id, input: { code } };
    return calling(() => ({ tools: { [tool.id]: tool }, approval }), call)(gated, signal);
  };

const subAgent =
  (offer: Offer): Probe =>
  async (gated, abortSignal) => {
    const clerk = agentOf('clerk', createModel([deletes('inner', '1')], 'Deleted'), offer(gated));
    const model = createModel([{ toolCallId: 'c1', toolName: 'agent-clerk', input: { prompt } }], 'Done');
    const supervisor = agentOf('supervisor', model, { agents: { clerk } });
    return evidenceOf(await supervisor.generate(prompt, { abortSignal }), model);
  };

/** Has a person approve the open call of a run that is stored and restored, and continues it with these turns of the model. */
const resumed =
  (offer: Offer, change: (stored: string) => string, ...turns: readonly (string | readonly Call[])[]): Probe =>
  async (gated, abortSignal) => {
    const { tools, approval } = offer(gated);
    const before = new InMemoryStore();
    const first = agentOf('clerk', createModel([deletes('c1', '1')]), { tools, storage: before });
    const { suspendPayload, runId = '' } = await first.generate(prompt, { abortSignal });
    if (suspendPayload === undefined) throw new Error('Mastra did not ask');
    gated.approve({ id: '1' });
    const after = new InMemoryStore();
    await copyRuns(before, after, change);
    const model = createModel(...turns);
    const second = agentOf('clerk', model, { tools, storage: after });
    const options = { runId, toolCallId: 'c1', abortSignal };
    return evidenceOf(await second.resumeGenerate(approval(suspendPayload), options), model);
  };

async function copyRuns(from: InMemoryStore, to: InMemoryStore, change: (stored: string) => string): Promise<void> {
  const [source, target] = [await from.getStore('workflows'), await to.getStore('workflows')];
  const { runs = [] } = (await source?.listWorkflowRuns({})) ?? {};
  for (const { workflowName, runId, snapshot } of runs) {
    const stored = change(typeof snapshot === 'string' ? snapshot : JSON.stringify(snapshot));
    await target?.persistWorkflowSnapshot({ workflowName, runId, snapshot: JSON.parse(stored) as WorkflowRunState });
  }
}

const same = (stored: string): string => stored;

const otherRecord = (stored: string): string => {
  const changed = stored.replaceAll(/(\\*"id\\*":\\*")1(\\*")/g, '$12$2');
  if (changed === stored) throw new Error('The store does not have the arguments');
  return changed;
};

const afterResume = (offer: Offer, change: (stored: string) => string): Probe =>
  resumed(offer, change, [deletes('c2', '3')], 'Done');

const background =
  (offer: Offer): Probe =>
  async (gated, abortSignal) => {
    const mock = createModel([deletes('c1', '1')], 'Done');
    const model = mock as unknown as MastraModelConfig;
    const { tools } = offer(gated);
    const backgroundTasks = { tools: { delete_record: true } };
    const agent = new Agent({ id: 'clerk', name: 'clerk', instructions: 'You help', model, tools, backgroundTasks });
    const mastra = new Mastra({
      agents: { agent },
      storage: new InMemoryStore(),
      logger: false,
      backgroundTasks: { enabled: true },
    });
    const events = mastra.backgroundTaskManager?.stream({ abortSignal }).getReader();
    const output = await agent.generate(prompt, { abortSignal });
    if (output.finishReason === 'suspended') return evidenceOf(output, mock);
    for (;;) {
      const { value } = (await events?.read()) ?? {};
      const { type = '', payload } = (value ?? {}) as {
        readonly type?: string;
        readonly payload?: { readonly suspendPayload?: unknown };
      };
      if (type === 'background-task-suspended') return { asked: toolsIn(payload?.suspendPayload) };
      if (value === undefined || type === 'background-task-completed') return {};
    }
  };

const chain: Probe = async (gated, signal) => {
  await using sandbox = createVmSandbox({ unsafe: true });
  await using gateway = createGateway({ tools: [gated.tool], sandbox });
  const { tools } = createMastraTools(gateway);
  const code = `return await tools.delete_record({ id: '1' });`;
  const call = { toolCallId: 'code', toolName: 'tool_chain', input: { code } };
  return await calling(() => ({ tools: { ...tools }, approval: () => undefined }), call)(gated, signal);
};

/** Asks in the tool, as the documentation of Mastra shows. */
const suspendInTool: Offer = (gated) => ({
  tools: {
    delete_record: plainTool(
      gated,
      async (args, { agent }) => {
        const { resumeData, suspend } = agent ?? {};
        if ((resumeData as { readonly approved?: boolean } | undefined)?.approved === true) return gated.execute(args);
        await suspend?.({ reason: 'Approval required' });
        return '';
      },
      {},
    ),
  },
  approval: () => ({ approved: true }),
});

/** Mastra. */
export const mastra: Contender = {
  name: 'Mastra',
  packages: ['@mastra/core'],
  without: {
    direct: direct(plain),
    parallel: parallel(plain),
    'code mode': codeMode(plain),
    'sub-agent': subAgent(plain),
    'after resume': afterResume(plain, same),
    background: background(plain),
  },
  with: {
    direct: direct(ravi),
    parallel: parallel(ravi),
    // The harder case: Ravi's tool in the code mode of Mastra, whose script Ravi does not run.
    'code mode': codeMode(ravi),
    'sub-agent': subAgent(ravi),
    'after resume': afterResume(ravi, same),
    background: background(ravi),
  },
  notes: {
    direct: 'measured with `requireApproval` of the tool.',
    'code mode': 'measured in `createCodeMode`, which does not read `requireApproval`.',
    'after resume': 'a storage keeps the state.',
  },
  variants: [
    {
      mode: 'direct',
      setting: 'with `suspend` in the tool, and a model that writes `resumeData` into its call',
      probe: calling(suspendInTool, deletes('c1', '1', { resumeData: { approved: true } })),
    },
    {
      mode: 'after resume',
      setting: 'with other arguments in the storage',
      probe: afterResume(plain, otherRecord),
    },
    {
      mode: 'after resume',
      setting: 'with other arguments in the storage, with Ravi',
      probe: afterResume(ravi, otherRecord),
    },
    { mode: 'code mode', setting: 'with `tool_chain` of Ravi instead', probe: chain },
  ],
  controls: [resumed(plain, same, 'Done'), resumed(ravi, same, 'Done')],
};
