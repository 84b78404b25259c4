import { defineChainPolicy, isLocalTool, silentLogger, systemClock, toolsInsideOf } from '@ravi/kernel';
import type {
  AnyTool,
  ApprovalHandler,
  ApprovalRequest,
  BlobScope,
  BlobStore,
  ChainPolicy,
  Clock,
  EditProblem,
  InvocationResult,
  Journal,
  JsonObject,
  JsonValue,
  Logger,
  Principal,
  ToolContext,
  ToolRegistry,
} from '@ravi/kernel';
import { checkShownEdit } from './approval/check-edit.ts';
import { findArtifactProblems } from './approval/edit-artifacts.ts';
import { createSecretFinder } from './approval/secret-spans.ts';
import { createDigester } from './arguments/digest.ts';
import type { Digester } from './arguments/digest.ts';
import { CallContext } from './call-context.ts';
import { execute } from './execute.ts';
import { failCall, finishCall } from './finish-call.ts';
import { allowedGate } from './gates/allowed.ts';
import { approvalGate } from './gates/approval.ts';
import { argumentsGate } from './gates/arguments.ts';
import { budgetGate } from './gates/budget.ts';
import { cancellationGate } from './gates/cancellation.ts';
import { contentGate } from './gates/content.ts';
import { interceptGate } from './gates/intercept.ts';
import { journalGate } from './gates/journal.ts';
import { kindGate } from './gates/kind.ts';
import { lockGate } from './gates/lock.ts';
import { lookupGate } from './gates/lookup.ts';
import { reconcileGate } from './gates/reconcile.ts';
import { spendGate } from './gates/spend.ts';
import { HookManager } from './hooks/hook-manager.ts';
import { assessCall } from './assess-call.ts';
import type { CallAssessment } from './assess-call.ts';
import { PendingCall } from './pending-call.ts';
import type { Gate, InvokeOptions, ToolCall } from './pending-call.ts';
import { createLivePolicy } from './live-policy.ts';
import type { LivePolicy } from './live-policy.ts';
import { createScrubber } from './scrub.ts';
import type { GateStop } from './error-results.ts';
import type { CallSpending, ExecutionWrapper, InvokerRuntime } from './runtime.ts';
import type { CallerAccess, ToolFilter } from './scope/caller-access.ts';
import { InvokerSession } from './scope/session.ts';
import { withRisksOf } from './scope/session-limits.ts';
import type { SessionOptions } from './scope/session-options.ts';
import type { ScratchpadStore } from './scope/stored-scratchpad.ts';
import { toolDigest } from './toolbox/freeze-tool.ts';
import { Deadlines } from './timing/deadlines.ts';
import { KeyedLocks } from './timing/keyed-locks.ts';
import { SchemaCache } from './validation/schema-cache.ts';
import { validateValue } from './validation/validate-arguments.ts';

/** The pipeline up to the execution, in this order. */
const gates: readonly Gate[] = [
  budgetGate, //        is there budget left?
  lookupGate, //        is there such a tool?
  kindGate, //          may this caller run this kind of tool?
  allowedGate, //       do agent, role and skills allow it?
  contentGate, //       which content do its artifact refs stand for?
  interceptGate, //     does an interceptor or a guard change or deny it?
  argumentsGate, //     do the arguments fit the schema?
  approvalGate, //      is it safe, or has it been approved?
  cancellationGate, //  was the run cancelled?
  lockGate, //          may it run at the same time as the running calls?
  allowedGate, //       is it still allowed after these waits?
  reconcileGate, //     did an earlier attempt of it take effect?
  spendGate, //         do the budgets that it shares allow it?
  journalGate, //       is it on record before it starts?
];

/** Collaborators of a {@link ToolInvoker}. */
export interface ToolInvokerOptions {
  readonly registry: ToolRegistry;
  /** Without a handler every call above the risk threshold is denied. */
  readonly approvalHandler?: ApprovalHandler;
  /** Without a store every result stays inline. */
  readonly artifactStore?: BlobStore;
  readonly policy?: Partial<ChainPolicy>;
  readonly hooks?: HookManager;
  readonly journal?: Journal;
  /** Values of the state store: keep the scratchpads of stored runs for the process that continues them. */
  readonly scratchpads?: ScratchpadStore;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Key of argument digests, at least 32 bytes; random when absent. Keep it to compare digests across restarts. */
  readonly digestKey?: Uint8Array;
  /** Digests canonical arguments instead of the portable HMAC-SHA256; a native one may be faster. */
  readonly digest?: Digester;
  /** Folders of this host that are removed from messages. */
  readonly hostPaths?: readonly string[];
  /** Removes known secrets from error messages before a script or a model reads them. */
  readonly redactMessage?: (message: string) => string;
  /** Secret values that approvers must not see in arguments; those of fewer than eight characters are ignored. */
  readonly secrets?: Iterable<string>;
  /** Wraps the execution of each tool, for example to make a span of a trace active in asynchronous calls. */
  readonly wrapExecution?: ExecutionWrapper;
  /** Asked before each call that has passed all other gates, for budgets that runs share. */
  readonly spending?: CallSpending;
  /** Asked for each call which tools its principal may call. Every principal may call all tools when absent. */
  readonly access?: CallerAccess;
  /** Returns the address at which other systems send the result of a call with its token (`context.completion()`). */
  readonly completionUrl?: (token: string) => string | undefined;
}

/**
 * Inspects and runs every tool call, from models, scripts and your own code alike. One per process, without state of its
 * own: the state of a run is in its {@link InvokerSession}.
 */
export class ToolInvoker {
  readonly registry: ToolRegistry;
  readonly artifactStore: BlobStore | undefined;
  readonly journal: Journal | undefined;
  /** Policy of sessions that open now. Its fields follow {@link ToolInvoker.setPolicy}; a copy keeps the values of its moment. */
  readonly policy: ChainPolicy;
  readonly clock: Clock;
  readonly hooks: HookManager;
  /** Digests text with the key of this installation. */
  readonly digest: Digester;
  #runtime: InvokerRuntime;
  /** True if only its tools, its policy and its logger are its own. */
  readonly #isPlain: boolean;
  #ownPolicy: Partial<ChainPolicy>;
  readonly #livePolicy: LivePolicy;
  #lender: ToolInvoker | undefined;
  #adopted: WeakMap<ToolInvoker, ToolInvoker> | undefined;

  /** @throws KernelError `E_CONFIG_INVALID` for a policy that contradicts itself */
  constructor(options: ToolInvokerOptions) {
    const clock = options.clock ?? systemClock;
    const logger = options.logger ?? silentLogger;
    this.registry = options.registry;
    this.#isPlain = ownParts.every((part) => options[part] === undefined);
    this.#ownPolicy = options.policy ?? {};
    this.artifactStore = options.artifactStore;
    this.journal = options.journal;
    this.#livePolicy = createLivePolicy(options.policy);
    this.policy = this.#livePolicy.view;
    this.clock = clock;
    this.hooks = options.hooks ?? new HookManager({ clock, logger });
    this.digest = options.digest ?? createDigester(options.digestKey ?? crypto.getRandomValues(new Uint8Array(32)));
    this.#runtime = {
      registry: options.registry,
      approvalHandler: options.approvalHandler,
      artifactStore: options.artifactStore,
      journal: options.journal,
      scratchpads: options.scratchpads,
      hooks: this.hooks,
      clock,
      logger,
      digest: this.digest,
      schemas: new SchemaCache(),
      deadlines: new Deadlines(clock),
      locks: new KeyedLocks(),
      scrub: createScrubber(options.hostPaths ?? [], options.redactMessage),
      findSecrets: createSecretFinder(options.secrets ?? []),
      wrapExecution: options.wrapExecution,
      invoke: (call, how) => this.invoke(call, how),
      spending: options.spending,
      access: options.access,
      completionUrl: options.completionUrl,
    };
    invokers.set(this.#runtime, this);
  }

  /** Invoker whose parts this one has, if {@link ToolInvoker.adopt} returned it. */
  get lender(): ToolInvoker | undefined {
    return this.#lender;
  }

  /**
   * Replaces the policy for sessions that open from now on; those that are open keep theirs.
   * @throws KernelError `E_CONFIG_INVALID` for a policy that contradicts itself; the previous one stays
   */
  setPolicy(policy: Partial<ChainPolicy>): void {
    this.#livePolicy.replace(policy);
    this.#ownPolicy = policy;
    this.#adopted = undefined;
  }

  /**
   * Returns an invoker with the tools and the policy of `inner`, and all other parts of this one: approval handler, stores, hooks,
   * locks and clock. Limits that the policy of `inner` does not set are those of this one. It is the same each time, until the
   * policy of this one is replaced. Returns `undefined` if `inner` has one of these parts itself.
   */
  adopt(inner: ToolInvoker): ToolInvoker | undefined {
    if (inner === this) return this;
    if (!inner.#isPlain) return undefined;
    this.#adopted ??= new WeakMap();
    const known = this.#adopted.get(inner);
    if (known !== undefined) return known;
    const { registry, policy: innerPolicy } = inner;
    const { maxRiskUnapproved, defaultRisk } = innerPolicy;
    const policy = defineChainPolicy({ ...inner.#ownPolicy, maxRiskUnapproved, defaultRisk }, this.policy);
    const { artifactStore, journal, clock, hooks, digest } = this.#runtime;
    const parts = { ...(artifactStore && { artifactStore }), ...(journal && { journal }), clock, hooks, digest };
    const adopted = new ToolInvoker({ ...parts, registry, policy: withRisksOf(this.policy, policy) });
    adopted.#runtime = { ...this.#runtime, registry, invoke: (call, how) => adopted.invoke(call, how) };
    adopted.#lender = this;
    invokers.set(adopted.#runtime, adopted);
    this.#adopted.set(inner, adopted);
    return adopted;
  }

  /**
   * Returns an invoker over tools of the runtime itself, with all other parts of this one: with them it asks people, so no list of tools
   * and no budget holds for them. Never give it tools that have effects.
   */
  forOwnQuestions(registry: ToolRegistry): ToolInvoker {
    const asking = new ToolInvoker({ registry, clock: this.clock, hooks: this.hooks, digest: this.digest });
    asking.#runtime = {
      ...this.#runtime,
      registry,
      asksItself: true,
      access: undefined,
      spending: undefined,
      invoke: (call, how) => asking.invoke(call, how),
    };
    invokers.set(asking.#runtime, asking);
    return asking;
  }

  /** Returns the tools that the rules of the operator give a principal now; `undefined` for all tools. The others do not exist for it. */
  toolsOf(principal: Principal): ToolFilter | undefined {
    return this.#runtime.access?.toolsOf(principal);
  }

  /** Opens a session with its own budget, trace and pins. @throws KernelError `E_CONFIG_INVALID` for its policy */
  openSession(options: SessionOptions = {}): InvokerSession {
    const session = new InvokerSession(this.#runtime, this.#livePolicy.current, options);
    this.hooks.emit({ type: 'session-opened', ...session.scope });
    return session;
  }

  /**
   * Checks arguments that an approver wants to run instead of those of a stored request, in a process where its call does not
   * wait. Returns the problems; empty if the arguments are valid.
   */
  async checkEdit(request: ApprovalRequest, args: JsonObject): Promise<readonly EditProblem[]> {
    const tool = findTool(this.registry, request);
    if (tool === undefined) {
      return [{ pointer: '', message: `The tool ${request.tool} has changed since the request, or is gone` }];
    }
    const { maxArgumentBytes } = this.policy;
    const { principal, sessionId } = request;
    const owns = (scope: BlobScope): boolean => scope.principal === principal && scope.sessionId === sessionId;
    const problems = checkShownEdit(args, request, { tool, schemas: this.#runtime.schemas, maxArgumentBytes });
    return problems.length > 0 ? problems : findArtifactProblems(args, tool, { owns, store: this.artifactStore });
  }

  /**
   * Checks a value from outside against the `outputSchema` of the tool of a stored request, in any process. Returns the problem.
   * A value for a tool that this process does not have is checked when the call takes it.
   */
  checkResult(request: ApprovalRequest, value: JsonValue): string | undefined {
    const tool = findTool(this.registry, request);
    if (tool === undefined || !isLocalTool(tool) || tool.outputSchema === undefined) return undefined;
    return validateValue(this.#runtime.schemas, tool.outputSchema, value, 'The result');
  }

  /**
   * Checks a call up to its approval, and neither counts, records nor runs it. The caller can ask people about the request before it
   * invokes the call, which is then checked again.
   * @throws KernelError `E_CANCELLED` when the run was cancelled
   */
  assess(call: ToolCall, options: InvokeOptions): Promise<CallAssessment> {
    return assessCall(new PendingCall(this.#runtime, call, options));
  }

  /**
   * Passes one call through every gate, runs it and shapes its result. In every case `tool-result` is emitted once and the trace
   * gets exactly one finished record.
   * @throws KernelError `E_CANCELLED` when the run was cancelled; otherwise only a `TypeError` for a missing session
   */
  invoke(call: ToolCall, options: InvokeOptions): Promise<InvocationResult> {
    if (!(options?.session instanceof InvokerSession)) {
      return Promise.reject(new TypeError('invoke needs the session that the call belongs to: see openSession'));
    }
    const pending = new PendingCall(this.#runtime, call, options);
    emitToolCall(pending);
    try {
      const passing = passGates(pending);
      if (!(passing instanceof Promise)) return carryOut(pending, passing);
      return passing.then(
        (stopped) => carryOut(pending, stopped),
        (error: unknown) => failCall(pending, error),
      );
    } catch (error) {
      return failCall(pending, error);
    }
  }
}

const invokers = new WeakMap<InvokerRuntime, ToolInvoker>();

/**
 * Returns the invoker that runs a call. For a call of a sub-agent it is not the one that the agent was created with, but the
 * one that {@link ToolInvoker.adopt} made of it. `undefined` for a context that no invoker created.
 */
export function invokerOf(context: ToolContext): ToolInvoker | undefined {
  const runtime = CallContext.runtimeOf(context);
  return runtime === undefined ? undefined : invokers.get(runtime);
}

const ownParts = [
  'approvalHandler',
  'artifactStore',
  'journal',
  'scratchpads',
  'hooks',
  'clock',
  'digestKey',
  'digest',
  'hostPaths',
  'redactMessage',
  'secrets',
  'wrapExecution',
  'spending',
  'access',
  'completionUrl',
] as const satisfies readonly (keyof ToolInvokerOptions)[];

// The call may have been made inside a tool that has tools of its own.
function findTool(
  registry: ToolRegistry,
  request: Pick<ApprovalRequest, 'tool' | 'toolDigest'>,
  seen: Set<ToolRegistry> = new Set(),
): AnyTool | undefined {
  seen.add(registry);
  const tool = registry.get(request.tool);
  if (tool !== undefined && toolDigest(tool) === request.toolDigest) return tool;
  for (const each of registry.all()) {
    const inside = toolsInsideOf(each);
    const found = inside === undefined || seen.has(inside) ? undefined : findTool(inside, request, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

function emitToolCall(pending: PendingCall): void {
  if (!pending.isReported('tool-call')) return;
  pending.readOwnArguments();
  const { scope, name: tool, caller, argsPreview } = pending;
  pending.report({ type: 'tool-call', ...scope, tool, caller, argsPreview });
}

// A gate with nothing to wait for returns synchronously, and most calls pass all gates that way.
function passGates(pending: PendingCall, first = 0): GateStop | undefined | Promise<GateStop | undefined> {
  for (let index = first; index < gates.length; index++) {
    const answer = (gates[index] as Gate)(pending);
    if (answer instanceof Promise) {
      return answer.then((outcome) => (outcome === pending ? passGates(pending, index + 1) : (outcome as GateStop)));
    }
    if (answer !== pending) return answer as GateStop;
  }
  return undefined;
}

function carryOut(pending: PendingCall, stopped: GateStop | undefined): Promise<InvocationResult> {
  try {
    if (stopped !== undefined) return Promise.resolve(finishCall(pending, stopped));
    const { earlierResult: result } = pending;
    if (result !== undefined) return Promise.resolve(finishCall(pending, { kind: 'returned', result }));
    pending.cancellation.check(); // again: the call may have waited for its lock and for the journal
    return execute(pending);
  } catch (error) {
    return failCall(pending, error);
  }
}
