import assert from 'node:assert/strict';
import { ToolInvoker, Toolbox } from '@ravi/invoker';
import { createAutoApproval } from '@ravi/approval-auto';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { createToolChainTool } from '@ravi/capabilities';
import { isKernelError } from '@ravi/kernel';
import type { InvocationResult, Sandbox, SandboxLanguage } from '@ravi/kernel';
import { createDockerSandbox } from '@ravi/sandbox-docker';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { openRecording } from './recording.ts';
import { chartOrders, listOrders, refundOrder } from './tools.ts';
import { pythonChains, typescriptChains } from './writing-chains-scripts.ts';
import type { WrittenChain } from './writing-chains-scripts.ts';

/** Everything that a model reads of `tool_chain`, as the page "Writing chains" shows it. */
export async function writingChainsExample(): Promise<void> {
  const recording = openRecording('writing-chains');
  await using sandbox = createIsolatedVmSandbox();
  const script = openAgent(sandbox, 'javascript');
  const [rules = '', stubs = ''] = script.description.split('```ts\n');
  recording.add('rules', rules);
  recording.add('stubs', stubs.replace(/```$/, ''));
  for (const [name, chain] of Object.entries(typescriptChains)) {
    recording.add(`${name}.script`, chain.code);
    recording.add(`${name}.output`, await answerTo(chain, script));
  }

  await using docker = createDockerSandbox({ images: { python: 'ravi-sandbox-python:test' }, poolSize: 0 });
  const whyNot = await obstacle(docker);
  if (whyNot !== undefined) console.log(`The scripts in Python were not run: ${whyNot}`);
  const python = openAgent(docker, 'python');
  recording.add('python-rules', python.description.slice(rules.indexOf('The tools:')).split('The tools:')[0] ?? '');
  for (const [name, chain] of Object.entries(pythonChains)) {
    recording.add(`${name}.script`, chain.code);
    if (whyNot === undefined) recording.add(`${name}.output`, await answerTo(chain, python));
    else recording.keep(`${name}.output`);
  }
  recording.close();
}

/** Returns what the model reads of a script, after checking its status and its calls. */
async function answerTo({ code, status, calls }: WrittenChain, agent: Agent): Promise<string> {
  const { result, tools } = await agent.call(code.trim());
  assert.deepEqual({ status: result.status, calls: tools }, { status, calls }, result.text);
  return result.text;
}

interface Agent {
  /** The declaration of `tool_chain` for the model. */
  readonly description: string;
  /** A call of `tool_chain` by the model: what it reads, and which tools the script called. */
  call(code: string): Promise<{ readonly result: InvocationResult; readonly tools: readonly string[] }>;
}

function openAgent(sandbox: Sandbox, language: SandboxLanguage): Agent {
  const toolbox = new Toolbox([listOrders, refundOrder, chartOrders]);
  const invoker = new ToolInvoker({
    registry: toolbox,
    artifactStore: createMemoryBlobStore(),
    approvalHandler: createAutoApproval({ rules: [{ tool: 'refund_order', risk: 'high', decision: 'approved' }] }),
    policy: { maxResultBytes: 1_000, maxInlineResultBytes: 8_192 },
  });
  toolbox.add(createToolChainTool({ invoker, sandbox }));
  const choice = sandbox.supports.languages.length > 1 ? { language } : {};
  return {
    description: toolbox.get('tool_chain')?.description ?? '',
    async call(code) {
      await using session = invoker.openSession();
      const tools: string[] = [];
      const unsubscribe = invoker.hooks.observe('tool-result', ({ tool, caller }) => {
        if (caller === 'chain') tools.push(tool);
      });
      const result = await invoker.invoke({ name: 'tool_chain', args: { code, ...choice } }, { session });
      unsubscribe();
      return { result, tools };
    },
  };
}

async function obstacle(sandbox: Sandbox): Promise<string | undefined> {
  try {
    const language: SandboxLanguage = 'python';
    const limits = {
      wallTimeMs: 60_000,
      cpuTimeMs: 5_000,
      memoryBytes: 67_108_864,
      maxConsoleBytes: 1_000,
      maxResultBytes: 1_000,
      maxCalls: 1,
      maxInFlight: 1,
    };
    const nothing = { prelude: 'names = {}', code: '1', principal: 'example', limits };
    await sandbox.run({ ...nothing, language, bridge: async () => '', onConsole: () => {} });
    return undefined;
  } catch (error) {
    if (isKernelError(error, 'E_SANDBOX_UNAVAILABLE')) return error.message;
    throw error;
  }
}
