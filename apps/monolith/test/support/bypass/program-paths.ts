import { createSnippetTool, runChain } from '@ravi/capabilities';
import { createGateway } from '@ravi/gateway-kit';
import { toolDigest } from '@ravi/invoker';
import type { Tool } from '@ravi/kernel';
import type { Path } from './agent-paths.ts';
import { requested } from './faults.ts';
import { createPay } from './world.ts';

const code = `return tools.pay(${JSON.stringify(requested)});`;

/** Paths of scripts that a program runs itself, and of an agent framework that it uses. */
export const programPaths: Readonly<Record<'script' | 'snippet' | 'framework', Path>> = {
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
  async framework({ toolbox, parts, effects, signal }) {
    toolbox.add(createPay(effects));
    await using gateway = createGateway({ ...parts, tools: toolbox });
    const call = { run: { runId: 'run_1' }, name: 'pay', args: requested, callId: 'call_1', signal };
    return await gateway.call(call).catch((error: unknown) => error);
  },
};
