/** Parts of an adapter that depend on its port. */
export interface PortTemplate {
  /** Folder under `packages/`. */
  readonly folder: string;
  /** Prefix of the package name; a tool source has none. */
  readonly prefix: string;
  /** The kernel's interface, also the last words of the factory's name. */
  readonly type: string;
  /** The suite of the testkit and the arguments it takes after `test`, given a call of the factory. */
  readonly suite: string;
  /** Entry point of the testkit that exports the suite. */
  readonly suiteEntry: string;
  readonly suiteArguments: (create: string) => string;
}

/** The ports of the kernel, by the key that a configuration uses. */
export const portTemplates: Readonly<Record<string, PortTemplate>> = {
  blobStore: {
    folder: 'blobs',
    prefix: 'blob',
    type: 'BlobStore',
    suite: 'blobStoreContract',
    suiteEntry: 'blob-store',
    suiteArguments: (create) => `() => ${create}`,
  },
  approvalHandler: {
    folder: 'approvals',
    prefix: 'approval',
    type: 'ApprovalHandler',
    suite: 'approvalHandlerContract',
    suiteEntry: 'approval-handler',
    suiteArguments: (create) => `() => ${create}, { answers: ['denied'] }`,
  },
  sandbox: {
    folder: 'sandboxes',
    prefix: 'sandbox',
    type: 'Sandbox',
    suite: 'sandboxContract',
    suiteEntry: 'sandbox',
    suiteArguments: (create) => `() => ${create}`,
  },
  stateStore: {
    folder: 'state',
    prefix: 'state',
    type: 'StateStore',
    suite: 'stateStoreContract',
    suiteEntry: 'state-store',
    suiteArguments: (create) => `() => ${create}`,
  },
  // Without a suite of its own: it is tested by the suite for all plugins.
  modelProvider: {
    folder: 'providers',
    prefix: 'provider',
    type: 'ModelProvider',
    suite: 'pluginContract',
    suiteEntry: 'plugin',
    suiteArguments: () => 'plugin, {}',
  },
  toolSource: {
    folder: 'integrations',
    prefix: '',
    type: 'ToolSource',
    suite: 'toolSourceContract',
    suiteEntry: 'tool-source',
    suiteArguments: (create) => `() => ({ source: ${create} })`,
  },
  interceptor: {
    folder: 'extensions',
    prefix: 'interceptor',
    type: 'Interceptor',
    suite: 'interceptorContract',
    suiteEntry: 'interceptor',
    suiteArguments: (create) => `() => ${create}`,
  },
  middleware: {
    folder: 'extensions',
    prefix: 'middleware',
    type: 'RunMiddleware',
    suite: 'middlewareContract',
    suiteEntry: 'middleware',
    suiteArguments: (create) => `() => ${create}`,
  },
  guardrail: {
    folder: 'extensions',
    prefix: 'guardrail',
    type: 'Guardrail',
    suite: 'guardrailContract',
    suiteEntry: 'guardrail',
    suiteArguments: (create) => `() => ${create}, { output: { passes: 'hello', trips: 'swordfish' } }`,
  },
  historyView: {
    folder: 'extensions',
    prefix: 'view',
    type: 'HistoryView',
    suite: 'historyViewContract',
    suiteEntry: 'history-view',
    suiteArguments: (create) => `() => ${create}`,
  },
};

/** Names of an adapter: `FsBlobStore` in code, `blob-fs` as a plugin. */
export interface AdapterNames {
  /** The factory is `create` and this. */
  readonly subject: string;
  readonly plugin: string;
}

/** Returns the names of an adapter. */
export function adapterNames({ prefix, type }: PortTemplate, name: string): AdapterNames {
  const words = name.split('-').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return { subject: `${words.join('')}${type}`, plugin: prefix === '' ? name : `${prefix}-${name}` };
}

/** Returns the reason why an adapter cannot have that port and name; `undefined` if it can. */
export function adapterProblem(port: string, name: string): string | undefined {
  if (!Object.hasOwn(portTemplates, port)) {
    return `There is no port "${port}". The ports are ${Object.keys(portTemplates).join(', ')}`;
  }
  if (/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) && name.length <= 40) return undefined;
  return `"${name}" cannot name an adapter: use at most 40 lower-case letters and digits in words joined by "-", such as "fs" or "isolated-vm"`;
}

/** Test runner of a generated package, by the module that its tests import. */
export type TestRunner = 'vitest' | 'node:test';

/** Returns the source of the contract test of an adapter. */
export function contractTest(
  { suite, suiteEntry, suiteArguments }: PortTemplate,
  subject: string,
  runner: TestRunner,
): string {
  const create = `create${subject}({})`;
  const given = suiteArguments(create);
  const imported = given.includes(`create${subject}(`) ? `{ create${subject} }` : 'plugin';
  const lines = [`import { ${suite} } from '@ravi/testkit/${suiteEntry}';`, `import { test } from '${runner}';`];
  const [first, second] = runner === 'vitest' ? lines : lines.toReversed();
  return `${first}
${second}
import ${imported} from '../src/index.ts';

${suite}(test, ${given});
`;
}
