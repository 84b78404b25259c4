// Runs the named wait and prints how it ended. Nothing else keeps this process alive.
import { ReActAgent } from '../../packages/agents/src/index.ts';
import { createMemoryBlobStore } from '../../packages/blobs/memory/src/index.ts';
import { Toolbox, ToolInvoker } from '../../packages/invoker/src/index.ts';
import { defineTool } from '../../packages/kernel/src/index.ts';
import { createScriptedModel } from './scripted-over-http.ts';

const never = new Promise<string>(() => {});
const tool = (name: string, more: object, execute: () => Promise<string>) =>
  defineTool({ name, description: name, risk: 'safe', inputSchema: { type: 'object' }, ...more, execute });

async function call(invoker: ToolInvoker, name: string, policy: object): Promise<string> {
  const session = invoker.openSession({ policy });
  const result = await invoker.invoke({ name, args: {} }, { session });
  await session[Symbol.asyncDispose]();
  return result.error?.code ?? result.text;
}

const waits: Readonly<Record<string, () => Promise<string>>> = {
  model: async () => {
    const agent = new ReActAgent({
      name: 'a',
      model: createScriptedModel([{ text: 'Hello.' }]),
      tools: [],
      modelRetries: 1,
    });
    const { status, text, error } = await agent.run('Hi');
    return `${status}: ${error?.code ?? text}`;
  },
  call: () =>
    call(new ToolInvoker({ registry: new Toolbox([tool('hang', {}, () => never)]) }), 'hang', { callTimeoutMs: 300 }),
  approval: () => {
    const registry = new Toolbox([tool('pay', { risk: 'high' }, async () => 'paid')]);
    const approvalHandler = { request: () => new Promise<never>(() => {}) };
    const policy = { approvalTimeoutMs: 300, callTimeoutMs: 1_000 };
    return call(new ToolInvoker({ registry, approvalHandler }), 'pay', policy);
  },
  lock: async () => {
    let calls = 0;
    // Settles after the call has timed out, which releases the lock; until then only the second call waits.
    const settlesLate = new Promise<string>((resolve) => void setTimeout(resolve, 1_000, 'first').unref());
    const registry = new Toolbox([
      tool('one', { concurrency: 'exclusive' }, () => (calls++ === 0 ? settlesLate : Promise.resolve('second'))),
    ]);
    const invoker = new ToolInvoker({ registry });
    const both = [1, 2].map(() => call(invoker, 'one', { callTimeoutMs: 300 }));
    return (await Promise.all(both)).join(' ');
  },
  // Ends at once although the limits are long: nothing waits for them any more.
  nothing: async () => {
    const registry = new Toolbox([tool('quick', {}, async () => 'quick')]);
    const invoker = new ToolInvoker({ registry, artifactStore: createMemoryBlobStore() });
    return call(invoker, 'quick', { callTimeoutMs: 200_000 });
  },
};

const [name = ''] = process.argv.slice(2);
console.log(await waits[name]?.());
