import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import type { CanUseTool, Options } from '@anthropic-ai/claude-agent-sdk';
import { withRavi } from '@ravi/claude-agent-sdk';
import { startScriptedModel } from '@ravi/claude-agent-sdk/testing';
import type { ScriptedCall, ScriptedModel, ScriptedRequest, ScriptedResponse } from '@ravi/claude-agent-sdk/testing';
import { createGateway } from '@ravi/gateway-kit';
import type { Gateway } from '@ravi/gateway-kit';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { z } from 'zod';
import type { Contender, Evidence, Probe } from '../contender.ts';
import type { GatedTool, RecordId } from '../gated-tool.ts';

/** Completes the options of a query with the gated tool and a safe one. */
type Offer = (gated: GatedTool, options: Options) => Options;

type Script = readonly ScriptedResponse[] | ((request: ScriptedRequest) => ScriptedResponse);

const prompt = 'Delete record 1';
const calls = (name: string, input: object, id: string): ScriptedCall => ({
  id,
  name: `mcp__records__${name}`,
  input: { ...input },
});
const deletes = (callId: string, id: string): ScriptedCall => calls('delete_record', { id }, callId);

const readRecord = tool(
  'read_record',
  'Reads a record',
  {},
  async () => ({ content: [{ type: 'text', text: 'a record' }] }),
  {
    annotations: { readOnlyHint: true },
  },
);

const plain: Offer = ({ name, description, execute }, options) => {
  const run = async (args: RecordId): Promise<{ content: { type: 'text'; text: string }[] }> => ({
    content: [{ type: 'text', text: await execute(args) }],
  });
  const tools = [readRecord, tool(name, description, { id: z.string() }, run)];
  const mcpServers = { records: createSdkMcpServer({ name: 'records', tools, alwaysLoad: true }) };
  return { ...options, mcpServers };
};

const withGateway =
  (gateway: Gateway): Offer =>
  (_gated, options) =>
    withRavi(gateway, options, { server: 'records' });

const ravi: Offer = (gated, options) => withGateway(createGateway({ tools: [gated.tool] }))(gated, options);

/** Folder of Claude Code. */
interface Home extends AsyncDisposable {
  readonly path: string;
}

async function createHome(): Promise<Home> {
  const path = await mkdtemp(join(tmpdir(), 'ravi-bypass-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

interface Query {
  readonly offer: Offer;
  readonly gated: GatedTool;
  readonly home: Home;
  readonly signal: AbortSignal;
  /** Answers for a person; denies when absent. */
  readonly person?: CanUseTool;
  readonly options?: Options;
}

/** Runs one query of the real Claude Code with a scripted model. */
async function run(script: Script, { offer, gated, home, signal, person, options }: Query): Promise<Evidence> {
  await using model = await startScriptedModel(script);
  const asked: string[] = [];
  const abortController = new AbortController();
  signal.addEventListener('abort', () => abortController.abort());
  const all = offer(gated, {
    model: 'claude-sonnet-4-5',
    cwd: home.path,
    env: model.environment(home.path),
    tools: [],
    settingSources: [],
    abortController,
    async canUseTool(name, input, details) {
      asked.push(name.replace('mcp__records__', ''));
      return (await person?.(name, input, details)) ?? { behavior: 'deny', message: 'Not now' };
    },
    ...options,
  });
  // A sub-agent in the background may work after the first result.
  for await (const _message of query({ prompt, options: all })) {
  }
  return { asked, told: toldTo(model) };
}

function toldTo({ requests }: ScriptedModel): string {
  const results =
    requests.at(-1)?.messages.filter(({ content }) => JSON.stringify(content).includes('"tool_result"')) ?? [];
  return results.length === 0 ? '' : JSON.stringify(results);
}

const calling =
  (offer: Offer, script: Script, options: Options = {}): Probe =>
  async (gated, signal) => {
    await using home = await createHome();
    return await run(script, { offer, gated, home, signal, options });
  };

const direct = (offer: Offer): Probe => calling(offer, [[deletes('c1', '1')], 'Done']);

const parallel = (offer: Offer): Probe =>
  calling(offer, [[calls('read_record', {}, 'read'), deletes('c1', '1'), deletes('c2', '2')], 'Done']);

const subAgent = (offer: Offer, runInBackground: boolean): Probe =>
  calling(
    offer,
    ({ tools = [], messages }) => {
      const isOuter = tools.some(({ name }) => name === 'Agent');
      const hasResult = JSON.stringify(messages).includes('"tool_result"');
      if (hasResult) return 'Done';
      if (!isOuter) return [deletes('inner', '1')];
      const input = { description: 'Delete', prompt, subagent_type: 'clerk', run_in_background: runInBackground };
      return [{ id: 'c1', name: 'Agent', input }];
    },
    { tools: ['Agent'], agents: { clerk: { description: 'Deletes', prompt: 'You delete' } } },
  );

/** Has a person approve the call of a first query, and continues the stored session in another process of Claude Code. */
const resumed =
  (offer: Offer, script: Script): Probe =>
  async (gated, signal) => {
    await using home = await createHome();
    const person: CanUseTool = async (_name, input) => {
      gated.approve(input as RecordId);
      return { behavior: 'allow', updatedInput: input };
    };
    const first = await run([[deletes('c1', '1')], 'Done'], { offer, gated, home, signal, person });
    if (first.asked?.length !== 1) throw new Error('Claude Code did not ask once');
    return await run(script, { offer, gated, home, signal, options: { continue: true } });
  };

const afterResume = (offer: Offer): Probe => resumed(offer, [[deletes('c2', '3')], 'Done']);

const chain: Probe = async (gated, signal) => {
  await using sandbox = createVmSandbox({ unsafe: true });
  await using gateway = createGateway({ tools: [gated.tool], sandbox });
  const code = `return await tools.delete_record({ id: '1' });`;
  return await calling(withGateway(gateway), [[calls('tool_chain', { code }, 'code')], 'Done'])(gated, signal);
};

/** Settings on disk allow the tool: those of the folder in which the query works, or of the user. */
const allowRule =
  (offer: Offer, source: 'project' | 'user'): Probe =>
  async (gated, signal) => {
    await using home = await createHome();
    const folder = source === 'project' ? join(home.path, '.claude') : home.path;
    await mkdir(folder, { recursive: true });
    const settings = { permissions: { allow: ['mcp__records__delete_record'] } };
    await writeFile(join(folder, 'settings.json'), JSON.stringify(settings));
    const options: Options = { settingSources: [source] };
    return await run([[deletes('c1', '1')], 'Done'], { offer, gated, home, signal, options });
  };

/** Claude Agent SDK. */
export const claudeAgentSdk: Contender = {
  name: 'Claude Agent SDK',
  packages: ['@anthropic-ai/claude-agent-sdk'],
  without: {
    direct: direct(plain),
    parallel: parallel(plain),
    'code mode': { notOffered: 'Without Ravi, the SDK has no code mode.' },
    'sub-agent': subAgent(plain, false),
    'after resume': afterResume(plain),
    background: subAgent(plain, true),
  },
  with: {
    direct: direct(ravi),
    parallel: parallel(ravi),
    'code mode': chain,
    'sub-agent': subAgent(ravi, false),
    'after resume': afterResume(ravi),
    background: subAgent(ravi, true),
  },
  notes: {
    direct: 'measured with `canUseTool`. The real Claude Code talks to a local model.',
    'after resume': 'Claude Code stores the session; another process continues it.',
    background: 'a sub-agent with `run_in_background` calls the tool.',
  },
  variants: [
    {
      mode: 'direct',
      setting: 'with an allow rule in the settings of the project',
      probe: allowRule(plain, 'project'),
    },
    { mode: 'direct', setting: 'with an allow rule in the settings of the user', probe: allowRule(plain, 'user') },
    {
      mode: 'direct',
      setting: 'with an allow rule in the settings of the user, with Ravi',
      probe: allowRule(ravi, 'user'),
    },
  ],
  controls: [resumed(plain, ['Done']), resumed(ravi, ['Done'])],
};
