import { createApprovalDesk, createApprovalFeed, createStoredApprovals } from '@ravi/approval-kit';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { createDiscoveryTools, createDurableChains, createToolChainTool } from '@ravi/capabilities';
import type { DurableChainResult } from '@ravi/capabilities';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { isLocalTool, KernelError, silentLogger, staticRisk, systemClock } from '@ravi/kernel';
import type { AnyTool, Tool } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import type { McpGateway } from '../../src/index.ts';

/** A program of its own: tools, an invoker, durable scripts, and the gateway that a server needs. */
export interface ToolboxProgram extends AsyncDisposable {
  readonly gateway: McpGateway;
  /** Names of the risky calls that ran. */
  readonly launches: readonly string[];
}

const principal = 'ann';

/** Creates the program. Its caller may approve if `mayApprove`. */
export async function createToolboxProgram({
  mayApprove = true,
}: { mayApprove?: boolean } = {}): Promise<ToolboxProgram> {
  const store = await createSqliteStateStore({ file: ':memory:', durability: 'process' });
  const blobs = createMemoryBlobStore();
  const feed = createApprovalFeed({ store: store.approvals, clock: systemClock, logger: silentLogger, maxPollMs: 5 });
  const desk = createApprovalDesk({ store: store.approvals, feed, clock: systemClock, logger: silentLogger });
  const launches: string[] = [];
  const toolbox = new Toolbox(toolsOf(launches));
  const invoker = new ToolInvoker({
    registry: toolbox,
    approvalHandler: createStoredApprovals({ store: store.approvals, feed }),
    artifactStore: blobs,
    digestKey: new Uint8Array(32).fill(7),
    journal: store.journal,
  });
  const sandbox = createIsolatedVmSandbox({});
  toolbox.setSource('built-in', [...createDiscoveryTools(toolbox), createToolChainTool({ invoker, sandbox })]);
  const chains = createDurableChains({ store, invoker, sandbox, preflight: false, pauseAfterMs: 1 });
  const started = new Map<string, Promise<DurableChainResult>>();
  const approver = { principal, mayDecide: mayApprove };

  const gateway: McpGateway = {
    caller: async () => ({ principal, mayApprove }),
    tools: async () => toolbox.all().map((tool) => summaryOf(tool, toolbox)),
    async call(name, args) {
      await using session = invoker.openSession({ principal });
      const { text, status } = await invoker.invoke({ name, args }, { session });
      return { text, isError: status !== 'ok' };
    },
    inlineBytes: async () => 4_096,
    runOnce: async () => {
      throw new KernelError('E_UNSUPPORTED', 'Every script is stored');
    },
    async start({ code }) {
      const runId = `run_${crypto.randomUUID()}`;
      const running = chains.start({ runId, code, principal, approvals: 'pause' });
      running.catch(() => {});
      started.set(runId, running);
      while ((await chains.get(runId)) === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
      return runId;
    },
    async settle(runId) {
      const running = started.get(runId);
      started.delete(runId);
      return running ?? chains.resume(runId);
    },
    async *follow() {},
    async run(runId) {
      const run = await chains.get(runId);
      if (run === undefined) throw new KernelError('E_RUN_NOT_FOUND', `There is no run ${runId}`);
      return run as unknown as Awaited<ReturnType<McpGateway['run']>>;
    },
    runs: ({ limit }) => store.runs.list({ principal }, { limit }),
    cancel: async (runId) => void chains.cancel(runId),
    async pending(runId) {
      const { items } = await desk.list(approver, { runId, status: 'undecided' }, { limit: 20 });
      const whole = await Promise.all(items.map(({ id }) => desk.read(approver, id)));
      return whole.map(({ approval }) => approval as never);
    },
    async decide(id, decision) {
      const decided = await desk.decide(approver, id, { ...decision });
      if (decided.status !== 'decided') throw new KernelError(decided.code, decided.message);
    },
    artifacts: async () => [],
    async artifact(ref) {
      const stat = await blobs.stat(ref);
      if (stat === undefined) throw new KernelError('E_ARTIFACT_UNKNOWN', `There is no artifact ${ref}`);
      return { ref, mediaType: stat.mediaType, bytes: stat.bytes } as never;
    },
    async read(ref, range) {
      const content = new Uint8Array(await new Response(await blobs.open(ref)).arrayBuffer());
      return range === undefined ? content : content.subarray(range.offset, range.offset + range.length);
    },
    inboxUrl: 'http://127.0.0.1:1/approvals',
  };
  return {
    gateway,
    launches,
    async [Symbol.asyncDispose]() {
      await chains[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

function toolsOf(launches: string[]): readonly Tool[] {
  const tool = (name: string, risk: Tool['risk'], run: (args: { a: number; b: number }) => unknown): Tool => ({
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
    ...(risk === undefined ? {} : { risk }),
    execute: async (args) => ({
      content: [],
      isError: false,
      structuredContent: (run(args as never) ?? null) as never,
    }),
  });
  return [
    tool('add', 'safe', ({ a, b }) => a + b),
    tool('launch', 'high', () => {
      launches.push('launch');
      return 'launched';
    }),
    { ...tool('later', 'safe', ({ a, b }) => a + b), mode: 'background' },
    { ...tool('query', 'safe', ({ a }) => a), classifyRisk: ({ b }) => ({ risk: b === undefined ? 'safe' : 'high' }) },
  ];
}

function summaryOf(tool: AnyTool, toolbox: Toolbox): Awaited<ReturnType<McpGateway['tools']>>[number] {
  const { name, description } = tool;
  const source = toolbox.sourceOf(name) ?? '';
  if (!isLocalTool(tool)) return { name, description, kind: 'hosted', source };
  const { inputSchema, allowedCallers, mode } = tool;
  const callers = allowedCallers === undefined ? {} : { allowedCallers };
  const background = mode === 'background' ? { mode } : {};
  return {
    name,
    description,
    kind: 'local',
    source,
    inputSchema,
    risk: staticRisk(tool, 'high'),
    isRiskFixed: tool.classifyRisk === undefined,
    ...callers,
    ...background,
  };
}
