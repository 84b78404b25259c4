import { Agent, Runner, RunState, tool } from '@openai/agents';
import type { Tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { createGateway } from '@ravi/gateway-kit';
import type { Gateway } from '@ravi/gateway-kit';
import { raviTools } from '@ravi/openai-agents';
import { createVmSandbox } from '@ravi/sandbox-vm';
import type { Contender, Evidence, Probe } from '../contender.ts';
import { waitingCallIn } from '../gated-tool.ts';
import type { GatedTool, RecordId } from '../gated-tool.ts';

type Output = ReturnType<typeof functionCall> | ReturnType<typeof assistantMessage>;
/** Tools as a program offers them. */
type Offer = (gated: GatedTool) => Tool[];

const runner = new Runner({ tracingDisabled: true });
const done: Output[] = [assistantMessage('Done')];
const deletes = (callId: string, id: string): Output => functionCall('delete_record', { id }, { callId });

const readRecord: Tool = tool({
  name: 'read_record',
  description: 'Reads a record',
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
  strict: false,
  execute: () => 'a record',
});

const plain: Offer = ({ name, description, inputSchema, execute }) => [
  readRecord,
  tool({
    name,
    description,
    parameters: { ...structuredClone(inputSchema), required: ['id'], additionalProperties: true },
    strict: false,
    needsApproval: true,
    execute: (input) => execute(input as RecordId),
  }),
];

const toolsOf = (gateway: Gateway): Tool[] => [readRecord, ...raviTools(gateway, { run: { runId: 'run' } })];
const ravi: Offer = ({ tool: gatedTool }) => toolsOf(createGateway({ tools: [gatedTool] }));

function agentOf(tools: Tool[], ...turns: Output[][]): { readonly agent: Agent; readonly model: ScriptedModel } {
  const model = new ScriptedModel(turns);
  return { model, agent: new Agent({ name: 'clerk', model, tools }) };
}

async function run({ agent, model }: ReturnType<typeof agentOf>, signal: AbortSignal): Promise<Evidence> {
  const { interruptions } = await runner.run(agent, 'Delete record 1', { signal });
  return { asked: interruptions.map(({ name }) => name ?? ''), told: toldTo(model) };
}

/** Returns the results that the model read in its last request. */
function toldTo({ lastCall }: ScriptedModel): string {
  const { input = [] } = lastCall?.request ?? {};
  const results = typeof input === 'string' ? [] : input.filter(({ type }) => type === 'function_call_result');
  return results.length === 0 ? '' : JSON.stringify(results);
}

const direct =
  (offer: Offer): Probe =>
  (gated, signal) =>
    run(agentOf(offer(gated), [deletes('c1', '1')], done), signal);

const parallel =
  (offer: Offer): Probe =>
  (gated, signal) => {
    const read = functionCall('read_record', {}, { callId: 'read' });
    return run(agentOf(offer(gated), [read, deletes('c1', '1'), deletes('c2', '2')], done), signal);
  };

const subAgent =
  (offer: Offer): Probe =>
  (gated, signal) => {
    const { agent } = agentOf(offer(gated), [deletes('inner', '1')], done);
    const clerk = agent.asTool({ toolName: 'clerk', runConfig: { tracingDisabled: true } });
    const call = functionCall('clerk', { input: 'Delete record 1' }, { callId: 'c1' });
    return run(agentOf([clerk], [call], done), signal);
  };

/** Has a person approve the open call, and returns the state as text. */
async function approvedState(agent: Agent, gated: GatedTool, signal: AbortSignal): Promise<string> {
  const { state, interruptions } = await runner.run(agent, 'Delete record 1', { signal });
  const [item] = interruptions;
  if (item === undefined) throw new Error('The SDK did not ask');
  gated.approve(JSON.parse(item.arguments ?? '') as RecordId);
  state.approve(item);
  return state.toString();
}

const afterResume =
  (offer: Offer): Probe =>
  async (gated, signal) => {
    const tools = offer(gated);
    const text = await approvedState(agentOf(tools, [deletes('c1', '1')]).agent, gated, signal);
    const { agent, model } = agentOf(tools, [deletes('c2', '3')], done);
    // The text has the arguments in several places, each one encoded.
    const changed = text.replaceAll(String.raw`{\"id\":\"1\"}`, String.raw`{\"id\":\"2\"}`);
    if (changed === text) throw new Error('The state does not have the arguments');
    try {
      const { interruptions } = await runner.run(agent, await RunState.fromString(agent, changed), { signal });
      return { asked: interruptions.map(({ name }) => name ?? ''), told: toldTo(model) };
    } catch (error) {
      return { told: String(error) };
    }
  };

const control =
  (offer: Offer): Probe =>
  async (gated, signal) => {
    const tools = offer(gated);
    const text = await approvedState(agentOf(tools, [deletes('c1', '1')]).agent, gated, signal);
    const { agent, model } = agentOf(tools, done);
    await runner.run(agent, await RunState.fromString(agent, text), { signal });
    return { told: toldTo(model) };
  };

const chain: Probe = async (gated, signal) => {
  await using sandbox = createVmSandbox({ unsafe: true });
  await using gateway = createGateway({ tools: [gated.tool], sandbox });
  const code = `return await tools.delete_record({ id: '1' });`;
  const first = [functionCall('tool_chain', { code }, { callId: 'code' })];
  const { told = '' } = await run(agentOf(toolsOf(gateway), first, done), signal);
  // The model reads the waiting call and continues the script with it.
  const waiting = waitingCallIn(told);
  const second = [functionCall('tool_chain_continue', waiting, { callId: 'c2' })];
  const { asked = [] } = await run(agentOf(toolsOf(gateway), second), signal);
  return { asked: asked.map(() => waiting.tool) };
};

const background = { notOffered: 'Background mode is one of models; tools of the program run in its run.' };

/** OpenAI Agents SDK. */
export const openAiAgents: Contender = {
  name: 'OpenAI Agents SDK',
  packages: ['@openai/agents'],
  without: {
    direct: direct(plain),
    parallel: parallel(plain),
    'code mode': {
      notOffered: 'Without Ravi, scripts of the model run only at the provider, with programmatic tool calling.',
    },
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
  notes: { 'after resume': 'the state is a text that the program stores.' },
  controls: [control(plain), control(ravi)],
};
