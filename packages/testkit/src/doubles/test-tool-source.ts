import { KernelError } from '@ravi/kernel';
import type { AnyTool, ToolSource, ToolSourceContent, ToolSourceSignIn, ToolSourceStatus } from '@ravi/kernel';

/** Options of {@link createTestToolSource}. */
export interface TestToolSourceOptions {
  /** `test` when absent. */
  readonly name?: string;
  readonly tools?: readonly AnyTool[];
  /** Fields of the first status. When absent the source is ready, not trusted, and its changes are held. */
  readonly status?: Partial<ToolSourceStatus>;
  readonly signIn?: ToolSourceSignIn;
  /** Awaited before each opening resolves; it may throw. */
  readonly beforeOpen?: (signal: AbortSignal) => Promise<void>;
}

/** Remote {@link ToolSource} whose tools and status a test changes. */
export interface TestToolSource extends ToolSource {
  /** Replaces the tools and reports a change to every open source. */
  change(tools: readonly AnyTool[], failures?: ToolSourceContent['failures']): void;
  /** Changes fields of the status and reports it. */
  changeStatus(status: Partial<ToolSourceStatus>): void;
  /** Reports a change although there is none. */
  report(): void;
  /** Openings that are not disposed. */
  readonly openings: number;
  /** Number of times that a reconnection was asked for. */
  readonly reconnections: number;
}

/** Creates a source with these tools. */
export function createTestToolSource(options: TestToolSourceOptions = {}): TestToolSource {
  const { name = 'test', tools = [], signIn, beforeOpen } = options;
  const listeners = new Set<() => void>();
  let content: ToolSourceContent = { tools, failures: [] };
  let status: ToolSourceStatus = {
    state: 'ready',
    place: 'test-server',
    isTrusted: false,
    holdsChanges: true,
    ...options.status,
  };
  let reconnections = 0;

  function report(): void {
    for (const listener of listeners) listener();
  }

  return {
    name,
    async open({ signal, onChange }) {
      await beforeOpen?.(signal);
      if (signal.aborted) throw new KernelError('E_CANCELLED', `Opening ${name} was cancelled`);
      // Each opening has a listener of its own, even if two share a function.
      const listener = (): void => onChange();
      listeners.add(listener);
      return {
        content: () => content,
        remote: {
          status: () => status,
          async reconnect() {
            reconnections++;
          },
          ...(signIn === undefined ? {} : { signIn }),
        },
        async [Symbol.asyncDispose]() {
          listeners.delete(listener);
        },
      };
    },
    change(next, failures = []) {
      content = { tools: next, failures };
      report();
    },
    changeStatus(next) {
      status = { ...status, ...next };
      report();
    },
    report,
    get openings() {
      return listeners.size;
    },
    get reconnections() {
      return reconnections;
    },
  };
}

const sources = new Map<string, ToolSource>();
const key = Symbol.for('ravi.test-sources');
Object.assign(globalThis, { [key]: sources });

/** Content of a plugin file `sources.mjs`, whose tool source is one of this process; see {@link testSourceEntry}. */
export const testSourcesPlugin: string = `
export default {
  name: 'test-sources', port: 'toolSource',
  configSchema: {
    type: 'object', properties: { source: { type: 'string' } }, required: ['source'], additionalProperties: false,
  },
  create: ({ source }) => globalThis[Symbol.for('ravi.test-sources')].get(source),
};`;

/** Returns the entry of a configuration for a source of this process, in the folder of `sources.mjs`. */
export function testSourceEntry(source: ToolSource): { readonly use: string; readonly source: string } {
  sources.set(source.name, source);
  return { use: './sources.mjs', source: source.name };
}
