import type {
  ApprovalHandler,
  BlobStore,
  Clock,
  EventScope,
  InvocationResult,
  Journal,
  Logger,
  ToolRegistry,
} from '@ravi/kernel';
import type { SecretFinder } from './approval/secret-spans.ts';
import type { Digester } from './arguments/digest.ts';
import type { HookManager } from './hooks/hook-manager.ts';
import type { InvokeOptions, ToolCall } from './pending-call.ts';
import type { Scrubber } from './scrub.ts';
import type { Deadlines } from './timing/deadlines.ts';
import type { KeyedLocks } from './timing/keyed-locks.ts';
import type { SchemaCache } from './validation/schema-cache.ts';

/** Runs `body`, the execution of one call, and returns its result: for example inside the active span of a trace. */
export type ExecutionWrapper = <Value>(scope: EventScope, body: () => Value) => Value;

/** Collaborators of the invoker, available to every gate. */
export interface InvokerRuntime {
  readonly registry: ToolRegistry;
  readonly approvalHandler: ApprovalHandler | undefined;
  readonly artifactStore: BlobStore | undefined;
  readonly journal: Journal | undefined;
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
}
