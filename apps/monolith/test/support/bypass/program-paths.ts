import { createSnippetTool, runChain } from '@ravi/capabilities';
import { createGateway } from '@ravi/gateway-kit';
import { toolDigest } from '@ravi/invoker';
import { defineTool } from '@ravi/kernel';
import type { Tool, ToolContext } from '@ravi/kernel';
import type { Path } from './agent-paths.ts';
import { requested } from './faults.ts';
import { createPay } from './world.ts';
import type { World } from './world.ts';

const code = `return tools.pay(${JSON.stringify(requested)});`;

/** Runs a tool that is `safe` itself and pays through its context. */
async function payInside(
  { invoker, toolbox, effects, signal }: World,
  pay: (run: ToolContext['run']) => Promise<unknown>,
): Promise<unknown> {
  toolbox.add(createPay(effects));
  const inputSchema = { type: 'object' } as const;
  const about = { name: 'teller', description: 'Pays.', risk: 'safe', runAfterResponse: true, inputSchema } as const;
  toolbox.add(
    defineTool({
      ...about,
      async execute(_args, { run }) {
        await pay(run);
        return 'done';
      },
    }),
  );
  await using session = invoker.openSession({ signal });
  return await invoker.invoke({ name: 'teller', args: {} }, { session }).catch((error: unknown) => error);
}

type ProgramPath = 'script' | 'snippet' | 'framework' | 'inside-tool' | 'spawned';

/** Paths of scripts that a program runs itself, of calls that a running tool makes, and of an agent framework that it uses. */
export const programPaths: Readonly<Record<ProgramPath, Path>> = {
  script({ invoker, toolbox, sandbox, effects, signal }) {
    toolbox.add(createPay(effects));
    return runChain({ code, invoker, sandbox, signal, preflight: false });
  },
  async snippet({ invoker, toolbox, sandbox, effects, signal }) {
    toolbox.add(createPay(effects));
    const saved = { name: 'saved', description: 'Pays.', version: 1, principal: 'local', createdAt: 0, code } as const;
    const tools = [{ name: 'pay', digest: toolDigest(toolbox.get('pay') as Tool) }];
    const snippet = { ...saved, tools, sourceRunId: 'run_1', language: 'javascript' } as const;
    toolbox.add(createSnippetTool(snippet, { invoker, sandbox, preflight: false, onChangedTool: 'warn' }));
    await using session = invoker.openSession({ signal });
    return await invoker.invoke({ name: 'saved', args: {} }, { session }).catch((error: unknown) => error);
  },
  'inside-tool': (world) => payInside(world, (run) => run.tool('pay', requested)),
  spawned: (world) => payInside(world, (run) => run.join(run.spawn('pay', requested))),
  async framework({ toolbox, parts, effects, signal }) {
    toolbox.add(createPay(effects));
    await using gateway = createGateway({ ...parts, tools: toolbox });
    const call = { run: { runId: 'run_1' }, name: 'pay', args: requested, callId: 'call_1', signal };
    return await gateway.call(call).catch((error: unknown) => error);
  },
};
