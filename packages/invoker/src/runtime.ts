import type {
  ApprovalHandler,
  BlobStore,
  Clock,
  EventScope,
  InvocationResult,
  Journal,
  Logger,
  ModelReservation,
  PlannedModelUse,
  Principal,
  ToolRegistry,
} from '@ravi/kernel';
import type { SecretFinder } from './approval/secret-spans.ts';
import type { Digester } from './arguments/digest.ts';
import type { HookManager } from './hooks/hook-manager.ts';
import type { InvokeOptions, ToolCall } from './pending-call.ts';
import type { Scrubber } from './scrub.ts';
import type { CallerAccess } from './scope/caller-access.ts';
import type { ScratchpadStore } from './scope/stored-scratchpad.ts';
import type { Deadlines } from './timing/deadlines.ts';
import type { KeyedLocks } from './timing/keyed-locks.ts';
import type { SchemaCache } from './validation/schema-cache.ts';

/** Runs `body`, the execution of one call, and returns its result: for example inside the active span of a trace. */
export type ExecutionWrapper = <Value>(scope: EventScope, body: () => Value) => Value;

/** Owner of a call that counts in budgets. */
export interface CallSpender {
  /** Run that tools and observers see. */
  readonly runId: string;
  readonly principal: Principal;
  /** Agent whose run makes the call, itself or in a script; absent without one. */
  readonly agent?: string;
}

/** Budgets that several runs, and several processes, share. */
export interface CallSpending {
  /**
   * Counts a call that is about to run. Resolves with the reason if no budget is left for it; a rejection refuses the call too.
   * `undefined` without a wait if nothing limits it.
   */
  call(spender: CallSpender): Promise<string | undefined> | undefined;
  /** Reserves a request of a tool to a model. Resolves to the reason if not enough is left, and to `undefined` if nothing is limited. */
  reserveModel(spender: CallSpender, use: PlannedModelUse): Promise<ModelReservation | string | undefined>;
}

/** Collaborators of the invoker, available to every gate. */
export interface InvokerRuntime {
  readonly registry: ToolRegistry;
  readonly approvalHandler: ApprovalHandler | undefined;
  readonly artifactStore: BlobStore | undefined;
  readonly journal: Journal | undefined;
  readonly scratchpads: ScratchpadStore | undefined;
  readonly hooks: HookManager;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly digest: Digester;
  readonly schemas: SchemaCache;
  readonly deadlines: Deadlines;
  readonly locks: KeyedLocks;
  readonly scrub: Scrubber;
  /** Finds what an approver must not see. */
  readonly findSecrets: SecretFinder;
  readonly wrapExecution: ExecutionWrapper | undefined;
  /** Invokes a call of these collaborators. */
  readonly invoke: (call: ToolCall, options: InvokeOptions) => Promise<InvocationResult>;
  readonly spending: CallSpending | undefined;
  readonly access: CallerAccess | undefined;
  /** Returns the address at which a token ends its call. */
  readonly completionUrl: ((token: string) => string | undefined) | undefined;
  /** True for tools of the runtime itself, which ask people and have no effect: lists of tools do not name them. */
  readonly asksItself?: boolean;
}
