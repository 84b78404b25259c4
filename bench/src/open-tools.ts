import { randomBytes } from 'node:crypto';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { runChain } from '@ravi/capabilities';
import { createArgumentDigest } from '@ravi/host';
import { HookManager, Toolbox, ToolInvoker } from '@ravi/invoker';
import { silentLogger, systemClock } from '@ravi/kernel';
import type { JsonObject, JsonValue, Plugin } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';

const policy = {
  maxToolCalls: 1_000_000,
  maxScriptCalls: 10_000,
  maxRiskUnapproved: 'high',
  maxScriptResultBytes: 8_388_608,
} as const;

/** Tools of a package with every gate of an invoker, for calls and for scripts in a sandbox. */
export interface OpenTools extends AsyncDisposable {
  /** Calls a tool; all calls belong to one run. @throws TypeError if it fails */
  call(name: string, args: JsonObject): Promise<void>;
  /** Runs a script as a run of its own and returns its value. @throws TypeError if it fails */
  script(code: string): Promise<JsonValue | undefined>;
}

/** Opens the tools of a package as a server does. */
export async function openTools<Options extends object>(
  plugin: Plugin<'toolSource', Options>,
  options: Options,
  baseDir: string,
): Promise<OpenTools> {
  const source = await plugin.create(options, { baseDir, clock: systemClock, logger: silentLogger });
  const open = await source.open({ signal: new AbortController().signal, onChange: () => undefined });
  const registry = new Toolbox();
  registry.setSource(source.name, open.content().tools);
  const invoker = new ToolInvoker({
    registry,
    hooks: new HookManager(),
    policy,
    artifactStore: createMemoryBlobStore(),
    digest: createArgumentDigest(randomBytes(32)),
  });
  const sandbox = createIsolatedVmSandbox();
  const session = invoker.openSession();
  return {
    async call(name, args) {
      const { status, error } = await invoker.invoke({ name, args }, { session });
      if (status !== 'ok') throw new TypeError(`${name} ended with ${status}: ${error?.message}`);
    },
    async script(code) {
      const result = await runChain({ code, invoker, sandbox, policy });
      if (result.status !== 'ok') throw new TypeError(JSON.stringify(result).slice(0, 300));
      return result.value;
    },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await open[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]?.();
    },
  };
}
