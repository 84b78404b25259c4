import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApprovalFeed, createStoredApprovals } from '@ravi/approval-kit';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import type { ToolInvokerOptions } from '@ravi/invoker';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { createDurableChains } from '@ravi/capabilities';
import type { DurableChains, DurableChainsOptions } from '@ravi/capabilities';
import { silentLogger, systemClock } from '@ravi/kernel';
import type {
  AnyTool,
  ApprovalFeed,
  BlobStore,
  Sandbox,
  CompleteStateStore,
  Tool,
  ToolExecutionResult,
} from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createMemoryLogger } from '@ravi/testkit';

/** One sandbox for all tests of a file, because a guest serves only one run. */
export const sandbox: Sandbox = createIsolatedVmSandbox({});

/** A world that survives its processes: a database, a store of artifacts, and the effects of tools. */
export interface World extends AsyncDisposable {
  readonly file: string;
  readonly store: CompleteStateStore;
  readonly blobs: BlobStore;
  /** Effects of tools, in order. */
  readonly effects: string[];
  /** Opens a simulated process. Disposing it is a shutdown. */
  open(options?: ProcessOptions): TestProcess;
}

/** Options of a simulated process. */
export interface ProcessOptions
  extends Partial<DurableChainsOptions>, Pick<ToolInvokerOptions, 'approvalHandler' | 'policy' | 'clock'> {
  readonly tools?: readonly AnyTool[];
  /** Replaces the store of the world. */
  readonly store?: CompleteStateStore;
}

/** A process that runs durable chains. */
export interface TestProcess extends AsyncDisposable {
  readonly chains: DurableChains;
  readonly invoker: ToolInvoker;
  readonly feed: ApprovalFeed;
  readonly logger: ReturnType<typeof createMemoryLogger>;
}

/** Creates an empty world. */
export async function createWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-durable-'));
  const file = join(folder, 'state.db');
  const store = await createSqliteStateStore({ file, durability: 'process' });
  const blobs = createMemoryBlobStore();
  const effects: string[] = [];
  return {
    file,
    store,
    blobs,
    effects,
    open({ tools = [], approvalHandler, policy, clock = systemClock, ...options } = {}) {
      const logger = createMemoryLogger();
      const opened = options.store ?? store;
      const feed = createApprovalFeed({ store: opened.approvals, clock, logger: silentLogger, maxPollMs: 5 });
      const approvals = createStoredApprovals({
        store: opened.approvals,
        feed,
        clock,
        ...(approvalHandler === undefined ? {} : { handler: approvalHandler }),
      });
      const invoker = new ToolInvoker({
        registry: new Toolbox([...worldTools(effects), ...tools]),
        approvalHandler: approvals,
        artifactStore: blobs,
        digestKey: new Uint8Array(32).fill(7),
        clock,
        logger,
        ...(policy === undefined ? {} : { policy }),
      });
      const chains = createDurableChains({
        sandbox,
        preflight: false,
        pauseAfterMs: 1,
        ...options,
        store: opened,
        invoker,
      });
      return { chains, invoker, feed, logger, [Symbol.asyncDispose]: () => chains[Symbol.asyncDispose]() };
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Lets others take the runs of all processes, as if these had been silent for long enough. */
export async function forgetProcesses({ store: { processes } }: World): Promise<void> {
  for (const { id } of (await processes.list()).items) await processes.remove(id);
}

/** Returns a tool whose result is that of `run`. */
export function valueTool(name: string, run: (args: never) => unknown, more: Partial<Tool> = {}): Tool {
  return {
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: 'object' },
    risk: 'safe',
    ...more,
    async execute(args): Promise<ToolExecutionResult> {
      return { content: [], isError: false, structuredContent: ((await run(args as never)) ?? null) as never };
    },
  };
}

function worldTools(effects: string[]): readonly AnyTool[] {
  const note = (kind: string) => (args: object) => effects.push(`${kind} ${JSON.stringify(args)}`);
  return [
    valueTool('send', note('send'), { risk: 'high' }),
    valueTool('put', note('put'), { risk: 'high', idempotent: true }),
    valueTool('count', note('count'), { risk: 'safe' }),
  ];
}
