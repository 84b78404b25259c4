import { createAutoApproval } from '@ravi/approval-auto';
import type { AutoApprovalRule } from '@ravi/approval-auto';
import { ToolInvoker, Toolbox } from '@ravi/invoker';
import type { ToolInvokerOptions } from '@ravi/invoker';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { defineTool } from '@ravi/kernel';
import type {
  AnyTool,
  BlobStore,
  ChainPolicy,
  ChainRunResult,
  JsonObject,
  Sandbox,
  Tool,
  ToolContext,
  ToolOutput,
} from '@ravi/kernel';
import { runChain } from '../../src/index.ts';

/** A tool whose arguments may be anything. */
export function freeTool(
  name: string,
  execute: (args: JsonObject, context: ToolContext) => ToolOutput | Promise<ToolOutput>,
  extra: Partial<Tool> = {},
): Tool {
  return defineTool({ name, description: `The tool ${name}`, inputSchema: { type: 'object' }, ...extra, execute });
}

/** A store that records which refs are pinned. */
export interface WatchedStore extends BlobStore {
  readonly refs: readonly string[];
}

/** Creates a blob store in memory that records its content. */
export function watchedStore(): WatchedStore {
  const store = createMemoryBlobStore();
  const refs: string[] = [];
  return {
    ...store,
    refs,
    async store(data, options) {
      const ref = await store.store(data, options);
      refs.push(ref);
      return ref;
    },
  };
}

/** The real pipeline around a sandbox. */
export interface Harness {
  readonly invoker: ToolInvoker;
  readonly store: WatchedStore;
  run(code: string, policy?: Partial<ChainPolicy>, signal?: AbortSignal): Promise<ChainRunResult>;
  /** Returns the current number of pins of all stored blobs. */
  pins(): Promise<number>;
}

/** Creates an invoker with a memory store and rules for approvals, as a host does. */
export function createHarness(
  sandbox: Sandbox,
  tools: readonly AnyTool[],
  options: Partial<ToolInvokerOptions> & { readonly rules?: readonly AutoApprovalRule[] } = {},
): Harness {
  const { rules, ...invokerOptions } = options;
  const store = watchedStore();
  const invoker = new ToolInvoker({
    registry: new Toolbox(tools),
    artifactStore: store,
    ...(rules === undefined ? {} : { approvalHandler: createAutoApproval({ rules }) }),
    ...invokerOptions,
  });
  return {
    invoker,
    store,
    run: (code, policy, signal) =>
      runChain({
        code,
        invoker,
        sandbox,
        // These tests are about running scripts, including scripts with mistakes.
        preflight: false,
        session: { principal: 'tester', sessionId: 'session' },
        ...(policy === undefined ? {} : { policy }),
        ...(signal === undefined ? {} : { signal }),
      }),
    async pins() {
      const stats = await Promise.all(store.refs.map((ref) => store.stat(ref)));
      return stats.reduce((sum, stat) => sum + (stat?.pins ?? 0), 0);
    },
  };
}
