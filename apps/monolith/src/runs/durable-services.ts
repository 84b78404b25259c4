import type { HookManager, Toolbox, ToolInvoker } from '@ravi/invoker';
import { keepProcess } from '@ravi/agents';
import type { KeptProcess, SharedBudgets } from '@ravi/agents';
import { createDurableChains } from '@ravi/capabilities';
import type { ApprovalMode, Preflight } from '@ravi/capabilities';
import { isWebApprovalHandler } from '@ravi/approval-web';
import type { ResolvedConfig } from '@ravi/host';
import type {
  ApprovalHandler,
  BlobStore,
  Clock,
  ExpiryPolicy,
  HistoryStore,
  Logger,
  ModelProvider,
  RunEngine,
  RunStore,
  Sandbox,
  Skill,
  CompleteStateStore,
} from '@ravi/kernel';
import type { Guides } from '../reload/load-guides.ts';
import { createLiveAgents } from '../agents/live-agents.ts';
import type { LiveAgents } from '../agents/live-agents.ts';
import type { Extensions } from '../extensions.ts';
import type { WorkspaceSet } from '../workspaces/workspace-set.ts';
import type { Redactor } from '../logging/redactor.ts';
import { createAgentRunner } from './agent-runner.ts';
import type { AgentRequest, AgentRunner } from './agent-runner.ts';
import { createExchangeRecorder } from './exchange-recorder.ts';
import { withEventRecording } from './with-event-recording.ts';
import type { RecordedChains } from './with-event-recording.ts';
import { createPausedRunLimit } from './paused-run-limit.ts';
import type { PausedRunLimit } from './paused-run-limit.ts';
import { createProcessId } from './process-id.ts';
import { createRunRecorder } from './run-recorder.ts';
import type { RunRecorder } from './run-recorder.ts';
import { withStartLimit } from './with-start-limit.ts';
import { createWaitingRunLimit } from './waiting-run-limit.ts';
import { createSuspectTurns } from './suspect-turns.ts';
import type { SuspectTurns } from './suspect-turns.ts';
import { createStartSlots } from './start-slots.ts';
import type { StartSlots } from './start-slots.ts';
import { createRunService } from './run-service.ts';
import type { RunService } from './run-service.ts';

/** Services that exist only with a state store. */
export interface DurableServices {
  readonly store: CompleteStateStore;
  /** Owner of the runs of this process. */
  readonly process: KeptProcess;
  readonly recorder: RunRecorder;
  /** Turns of runs that may be the cause of crashes. */
  readonly turns: SuspectTurns;
  /** Scripts that outlive the process; without them a script ends with its request. */
  readonly chains: RecordedChains;
  readonly agents: LiveAgents;
  readonly agentRunner: AgentRunner;
  readonly runs: RunService;
  readonly pausedRuns: PausedRunLimit;
  readonly startSlots: StartSlots;
  /** Approval mode of runs whose request has none. */
  readonly approvalMode: ApprovalMode;
}

/** Options of {@link createDurableServices}. */
export interface DurableServicesOptions {
  /** Durable services need one. */
  readonly stateStore: CompleteStateStore | undefined;
  /** Counts the runs that wait for a server. */
  readonly runEngine: RunEngine | undefined;
  readonly config: Pick<
    ResolvedConfig,
    'agent' | 'agents' | 'defaultAgent' | 'supervision' | 'workspaces' | 'approvals' | 'runs'
  >;
  /** Absent if callers decide approvals. */
  readonly approvalHandler: ApprovalHandler | undefined;
  /** Model of agents that name none. */
  readonly model: ModelProvider;
  readonly models: readonly ModelProvider[];
  readonly toolbox: Toolbox;
  readonly guides: { readonly current: Guides };
  readonly skills: { readonly all: readonly Skill[] };
  readonly workspaces: Pick<WorkspaceSet, 'loaded'>;
  readonly extensions: Pick<Extensions, 'middleware' | 'view'>;
  readonly invoker: ToolInvoker;
  readonly sharedBudgets: SharedBudgets | undefined;
  readonly hooks: HookManager;
  readonly sandbox: Sandbox;
  readonly preflight: Preflight | false;
  readonly blobStore: BlobStore;
  readonly redactor: Redactor;
  readonly lifetime: AbortSignal;
  /** Version of this program, for other servers. */
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the services of durable runs over one state store. The caller disposes `agentRunner`, `chains`, `recorder` and then `process`. */
export function createDurableServices(options: DurableServicesOptions): DurableServices | undefined {
  const { stateStore, invoker, hooks, sandbox, preflight, blobStore, lifetime, clock, logger } = options;
  if (stateStore === undefined) return undefined;
  const { expiryMs: approvalExpiryMs, mode: approvalMode = defaultModeOf(options) } = options.config.approvals;
  const onApprovalExpiry = expiryPolicyOf(options);
  const { leaseMs, startTimeoutMs } = options.config.runs;

  const redact = options.redactor.strings;
  const turns = createSuspectTurns(clock);
  const watched = { isAlone: turns.has, onProgress: turns.end };
  const recorder = createRunRecorder({
    hooks,
    store: stateStore,
    blobStore,
    redact,
    // A reload may change them.
    get prices() {
      return options.config.agent.prices;
    },
    ...watched,
    clock,
    logger,
  });
  const process = keepProcess({
    store: stateStore,
    id: createProcessId(),
    version: options.version,
    deadAfterMs: leaseMs,
    onLost: (writer) => void recorder.leave(writer),
    clock,
    logger,
  });
  // Every end of a run goes through the recorder.
  const store = { ...stateStore, runs: withStartLimit(recorder.runs, { startTimeoutMs, clock }) };
  const { runs, journal, approvals, jobs } = store;
  const chains = withEventRecording(
    createDurableChains({
      store,
      invoker,
      sandbox,
      preflight,
      logger,
      approvalExpiryMs,
      onApprovalExpiry,
      process,
      // Hooks report every other event of a call.
      onProgress: (event) => {
        if (event.type === 'tool-progress') recorder.active(event.runId)?.append(event);
      },
    }),
    recorder,
  );
  const exchanges = createExchangeRecorder({ exchanges: store.exchanges, lifetime, clock, logger });
  // Its exchanges are stored before it ends, because no process writes for it afterwards.
  const agentRuns: RunStore = {
    ...runs,
    async transition(runId, change) {
      if (change.to !== 'running') await exchanges.settled(runId);
      return runs.transition(runId, change);
    },
  };
  const { config, model, models, skills, guides, toolbox, extensions, sharedBudgets } = options;
  // A request is reserved as other middleware made it, and one that is refused is not recorded.
  const budgeted = sharedBudgets === undefined ? [] : [sharedBudgets.middleware];
  const agents = createLiveAgents({
    config,
    sharedOf: ({ agent: { prices } }) => ({
      invoker,
      logger,
      runs: agentRuns,
      history: withEventsFirst(store.history, recorder),
      jobs,
      inputs: store.inputs,
      process,
      approvals: approvalMode,
      approvalExpiryMs,
      onApprovalExpiry,
      ...(prices === undefined ? {} : { prices }),
      ...(extensions.view === undefined ? {} : { view: extensions.view }),
    }),
    // The recorder is the innermost: it stores what the model receives and responds.
    middleware: [...extensions.middleware, ...budgeted, exchanges],
    model,
    models,
    skills: skills.all,
    guides: guides.current,
    isLoaded: (name) => options.workspaces.loaded.some((workspace) => workspace.name === name),
    toolbox,
    clock,
  });
  const agentRunner = createAgentRunner({ agents, recorder, stores: { journal, approvals }, lifetime });
  const { maxPausedRuns } = options.config.approvals;
  const pausedRuns = withBudgets(
    withWaitingRuns(createPausedRunLimit({ runs, maxPausedRuns, clock }), options),
    sharedBudgets,
  );
  const admit = async ({ principal = 'local', agent = agents.defaultName }: AgentRequest): Promise<void> =>
    sharedBudgets?.admit(principal, agent);
  const startSlots = createStartSlots(() => options.config.runs.slots);
  const service = createRunService({
    store,
    chains,
    agentRunner,
    pausedRuns,
    startSlots,
    admit,
    hooks,
    lifetime,
    clock,
    logger,
  });
  const limits = { pausedRuns, startSlots, approvalMode };
  return { store, process, recorder, turns, chains, agents, agentRunner, runs: service, ...limits };
}

/**
 * Wraps the conversations so that the events of a run are stored before a message of it. Its record then has the result of every
 * call whose result the conversation has, also if the process is killed in between.
 */
function withEventsFirst(history: HistoryStore, recorder: Pick<RunRecorder, 'active'>): HistoryStore {
  return {
    async append(entries, expectedLength, writer) {
      const runIds = new Set(entries.map(({ runId }) => runId));
      for (const runId of runIds) if (runId !== undefined) await recorder.active(runId)?.stored();
      return history.append(entries, expectedLength, writer);
    },
    read: (principal, sessionId, page) => history.read(principal, sessionId, page),
  };
}

/** Refuses a start, too, while more runs of the principal wait for a server than may. */
function withWaitingRuns(
  pausedRuns: PausedRunLimit,
  { runEngine: engine, config, clock, logger }: DurableServicesOptions,
): PausedRunLimit {
  if (engine === undefined) return pausedRuns;
  const waiting = createWaitingRunLimit({ engine, maxWaitingRuns: config.runs.maxWaitingRuns, clock, logger });
  return {
    async check(principal) {
      await waiting.check(principal);
      await pausedRuns.check(principal);
    },
  };
}

/** Refuses the start of a script, too, whose principal has no calls left. */
function withBudgets(pausedRuns: PausedRunLimit, budgets: SharedBudgets | undefined): PausedRunLimit {
  if (budgets === undefined) return pausedRuns;
  return {
    async check(principal) {
      await budgets.admit(principal);
      await pausedRuns.check(principal);
    },
  };
}

// A handler asks its approver in this process, and would not be asked again while the run is stored.
function defaultModeOf({ approvalHandler }: DurableServicesOptions): ApprovalMode {
  return approvalHandler === undefined ? 'pause' : 'wait';
}

// A request that parks is decided later, perhaps in another process, where the handler does not know it.
function expiryPolicyOf({ config, approvalHandler: handler, logger }: DurableServicesOptions): ExpiryPolicy {
  const { onExpiry } = config.approvals;
  if (onExpiry === 'deny' || handler === undefined || storesRequests(handler)) return onExpiry;
  logger.warn('approvals.onExpiry is deny: the approval handler does not store its requests');
  return 'deny';
}

/** True for a handler that keeps its requests in the state store itself. */
export function storesRequests(handler: ApprovalHandler | undefined): boolean {
  return isWebApprovalHandler(handler) && handler.storesRequests === true;
}
