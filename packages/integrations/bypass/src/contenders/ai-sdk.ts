import { experimental_codeModeTool as codeModeTool } from '@ai-sdk/code-mode';
import { raviTools } from '@ravi/ai-sdk';
import { createGateway } from '@ravi/gateway-kit';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { generateText, isStepCount, jsonSchema, tool, ToolLoopAgent } from 'ai';
import type { ModelMessage, ToolSet } from 'ai';
import type { MockLanguageModelV4 } from 'ai/test';
import type { Contender, Evidence, Probe } from '../contender.ts';
import { waitingCallIn } from '../gated-tool.ts';
import type { GatedTool, RecordId } from '../gated-tool.ts';
import { createModel } from './mock-model.ts';
import type { Call } from './mock-model.ts';

type Settings = Pick<Parameters<typeof generateText>[0], 'tools' | 'toolApproval' | 'experimental_toolApprovalSecret'>;

const question: ModelMessage = { role: 'user', content: 'Delete record 1' };
const stopWhen = isStepCount(6);

const deletes = (toolCallId: string, id: string): Call => ({ toolCallId, toolName: 'delete_record', input: { id } });
const reads: Call = { toolCallId: 'read', toolName: 'read_record', input: { id: '1' } };

/** Returns the settings of a program that offers the gated tool and a safe one. */
type Offer = (gated: GatedTool) => Settings;

const readRecord: ToolSet[string] = tool({
  description: 'Reads a record',
  inputSchema: jsonSchema<RecordId>({ type: 'object', properties: { id: { type: 'string' } } }),
  execute: () => 'a record',
});

const plainTool = ({ description, inputSchema, execute }: GatedTool, needsApproval?: true): ToolSet[string] =>
  tool({
    description,
    inputSchema: jsonSchema<RecordId>({ ...inputSchema, required: ['id'] }),
    execute: (input: RecordId) => execute(input),
    ...(needsApproval && { needsApproval }),
  });

const plain: Offer = (gated) => ({
  tools: { delete_record: plainTool(gated), read_record: readRecord },
  toolApproval: { delete_record: 'user-approval' },
});

const ravi: Offer = (gated) => {
  const gateway = createGateway({ tools: [gated.tool] });
  const { tools, toolApproval } = raviTools(gateway, { runId: 'run' });
  return { tools: { ...tools, read_record: readRecord }, toolApproval };
};

async function run(settings: Settings, model: MockLanguageModelV4, messages: ModelMessage[]) {
  const { content, responseMessages } = await generateText({ model, messages, stopWhen, ...settings });
  const requests = content.filter((part) => part.type === 'tool-approval-request');
  const asked = requests.map(({ toolCall }) => toolCall.toolName);
  return { asked, requests, told: toldTo(model), messages: [...messages, ...responseMessages] };
}

/** Returns the results that the model read in its last request. */
function toldTo({ doGenerateCalls }: MockLanguageModelV4): string {
  const results = doGenerateCalls.at(-1)?.prompt.filter(({ role }) => role === 'tool') ?? [];
  return results.length === 0 ? '' : JSON.stringify(results);
}

const direct =
  (offer: Offer): Probe =>
  async (gated) =>
    run(offer(gated), createModel([deletes('c1', '1')], 'Done'), [question]);

const parallel =
  (offer: Offer): Probe =>
  async (gated) =>
    run(offer(gated), createModel([reads, deletes('c1', '1'), deletes('c2', '2')], 'Done'), [question]);

const script = `return await tools.delete_record({ id: '1' });`;

const codeMode =
  (offer: Offer): Probe =>
  async (gated) => {
    const { tools, ...settings } = offer(gated);
    const call = { toolCallId: 'code', toolName: 'code', input: { js: script } };
    const model = createModel([call], 'Done');
    const all = { ...tools, code: codeModeTool() };
    const experimental_toolCallers = { delete_record: ['code'] } as never;
    const { content } = await generateText({
      model,
      messages: [question],
      stopWhen,
      ...settings,
      tools: all,
      experimental_toolCallers,
    });
    const asked = content.flatMap((part) => (part.type === 'tool-approval-request' ? [part.toolCall.toolName] : []));
    return { asked, told: toldTo(model) };
  };

const subAgent =
  (offer: Offer): Probe =>
  async (gated) => {
    const inner = new ToolLoopAgent({ model: createModel([deletes('inner', '1')], 'Deleted'), ...offer(gated) });
    const ask = tool({
      description: 'Asks the clerk',
      inputSchema: jsonSchema<{ task: string }>({ type: 'object', properties: { task: { type: 'string' } } }),
      execute: async ({ task }) => {
        const { text, content } = await inner.generate({ prompt: task });
        const waits = content.filter(({ type }) => type === 'tool-approval-request').length;
        return `${text} (${waits} requests for approval are left)`;
      },
    });
    const model = createModel([{ toolCallId: 'c1', toolName: 'clerk', input: { task: 'Delete record 1' } }], 'Done');
    return run({ tools: { clerk: ask } }, model, [question]);
  };

/** Approves the one open call as a person does. */
function approved(state: Awaited<ReturnType<typeof run>>, gated: GatedTool): ModelMessage[] {
  const [request] = state.requests;
  if (request === undefined) throw new Error('The SDK did not ask');
  gated.approve(request.toolCall.input as RecordId);
  const answer = { type: 'tool-approval-response', approvalId: request.approvalId, approved: true } as const;
  return [...state.messages, { role: 'tool', content: [answer] }];
}

const afterResume =
  (offer: Offer): Probe =>
  async (gated) => {
    const settings = offer(gated);
    const messages = approved(await run(settings, createModel([deletes('c1', '1')]), [question]), gated);
    // The messages pass through the browser of a person.
    const changed = JSON.stringify(messages).replaceAll('"id":"1"', '"id":"2"');
    const model = createModel([deletes('c2', '3')], 'Done');
    try {
      return await run(settings, model, JSON.parse(changed) as ModelMessage[]);
    } catch (error) {
      return { told: String(error) } satisfies Evidence;
    }
  };

const control =
  (offer: Offer): Probe =>
  async (gated) => {
    const settings = offer(gated);
    const messages = approved(await run(settings, createModel([deletes('c1', '1')]), [question]), gated);
    return run(settings, createModel('Done'), messages);
  };

const chain: Probe = async (gated) => {
  await using sandbox = createVmSandbox({ unsafe: true });
  await using gateway = createGateway({ tools: [gated.tool], sandbox });
  const call = { toolCallId: 'code', toolName: 'tool_chain', input: { code: script } };
  const settings = raviTools(gateway, { runId: 'run' }) as Settings;
  const { told } = await run(settings, createModel([call], 'Done'), [question]);
  // The model reads the waiting call and continues the script with it.
  const input = waitingCallIn(told);
  const { asked } = await run(settings, createModel([{ toolCallId: 'c2', toolName: 'tool_chain_continue', input }]), [
    question,
  ]);
  return { asked: asked.map(() => input.tool) };
};

const background = { notOffered: 'The SDK has no tools that run in the background.' };

/** Vercel AI SDK. */
export const aiSdk: Contender = {
  name: 'Vercel AI SDK',
  packages: ['ai', '@ai-sdk/code-mode'],
  without: {
    direct: direct(plain),
    parallel: parallel(plain),
    'code mode': codeMode(plain),
    'sub-agent': subAgent(plain),
    'after resume': afterResume(plain),
    background,
  },
  with: {
    direct: direct(ravi),
    parallel: parallel(ravi),
    // The harder case: Ravi's tool in the code mode of the SDK, whose script Ravi does not run.
    'code mode': codeMode(ravi),
    'sub-agent': subAgent(ravi),
    'after resume': afterResume(ravi),
    background,
  },
  notes: {
    'code mode':
      'measured in `@ai-sdk/code-mode`, which does not read `toolApproval`; its newest version names `ai` 7.0.85 as its peer.',
    'sub-agent': 'the inner agent ends with a request for approval that the outer run does not show.',
    'after resume': 'the messages of a chat are the state, and a browser sends them back.',
  },
  variants: [
    {
      mode: 'code mode',
      setting: 'with the deprecated `needsApproval` of the tool',
      probe: codeMode((gated) => ({ tools: { delete_record: plainTool(gated, true) } })),
    },
    {
      mode: 'after resume',
      setting: 'with `experimental_toolApprovalSecret`',
      probe: afterResume((gated) => ({ ...plain(gated), experimental_toolApprovalSecret: 'a secret of the server' })),
    },
    { mode: 'code mode', setting: 'with `tool_chain` of Ravi instead', probe: chain },
  ],
  controls: [control(plain), control(ravi)],
};
