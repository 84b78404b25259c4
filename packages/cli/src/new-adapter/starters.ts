import type { AdapterNames, PortTemplate } from './ports.ts';
import { portTemplates } from './ports.ts';

/** First version of an adapter, which passes the contract suite of its port. */
export interface Starter extends PortTemplate {
  /** Package that it wraps; absent if it needs none. */
  readonly begunAs?: string;
  /** Its source file. */
  readonly source: (names: AdapterNames) => string;
}

/** Starters by port, as a configuration names it. */
export const starters: Readonly<Record<string, Starter>> = {
  blobStore: {
    ...template('blobStore'),
    begunAs: '@ravi/blob-memory',
    suiteArguments: (create) => `({ clock }) => ${create.replace('{}', '{ clock }')}`,
    source: (names) =>
      sourceOf(names, 'blobStore', {
        imports: `import { createMemoryBlobStore } from '@ravi/blob-memory';\n`,
        types: ['BlobStore', 'Clock', 'Plugin'],
        result: 'BlobStore',
        options: `{\n  /** Measures lifetimes; the system's when absent. */\n  readonly clock?: Clock;\n}`,
        given: 'options',
        body: '  return createMemoryBlobStore(options);',
        doc: 'It stores blobs in memory: replace its methods one by one.',
        create: (factory) => `(_options, { clock }) => ${factory}({ clock })`,
      }),
  },
  approvalHandler: {
    ...template('approvalHandler'),
    source: (names) =>
      sourceOf(names, 'approvalHandler', {
        types: ['ApprovalHandler', 'Plugin'],
        result: 'ApprovalHandler',
        body: `  return {
    request: async ({ tool }) => ({ decision: 'denied', reason: \`No approver is configured for \${tool} yet\` }),
  };`,
        doc: 'It denies every call: ask an approver instead, and withdraw the request when `signal` aborts.',
      }),
  },
  sandbox: {
    ...template('sandbox'),
    begunAs: '@ravi/sandbox-vm',
    source: (names) =>
      sourceOf(names, 'sandbox', {
        imports: `import { createVmSandbox } from '@ravi/sandbox-vm';\n`,
        types: ['Plugin', 'Sandbox'],
        result: 'Sandbox',
        body: '  return createVmSandbox({ unsafe: true });',
        doc: 'It runs scripts in processes that do not isolate hostile code: replace them with yours.',
      }),
  },
  stateStore: {
    ...template('stateStore'),
    begunAs: '@ravi/state-sqlite',
    source: (names) =>
      sourceOf(names, 'stateStore', {
        imports: `import { createSqliteStateStore } from '@ravi/state-sqlite';\n`,
        types: ['Plugin', 'StateStore'],
        result: 'Promise<StateStore>',
        body: `  return createSqliteStateStore({ file: ':memory:' });`,
        doc: 'It keeps everything in memory: replace one of its stores after the other.',
      }),
  },
  modelProvider: {
    ...template('modelProvider'),
    source: (names) =>
      sourceOf(names, 'modelProvider', {
        values: ['definePlugin', 'textBlock'],
        types: ['ModelEvent', 'ModelProvider', 'Plugin'],
        result: 'ModelProvider',
        body: `  return {
    id: '${names.plugin}',
    async *stream(): AsyncIterable<ModelEvent> {
      const text = 'No model answers here yet.';
      yield { type: 'text-delta', text };
      yield { type: 'block', block: textBlock(text) };
      yield { type: 'finish', reason: 'end', usage: { inputTokens: 0, outputTokens: 0 } };
    },
  };`,
        doc: 'It answers with one sentence: ask a model instead.',
      }),
  },
  toolSource: {
    ...template('toolSource'),
    source: (names) =>
      sourceOf(names, 'toolSource', {
        values: ['definePlugin', 'defineTool', 'defineToolSource'],
        types: ['Plugin', 'ToolSource'],
        result: 'ToolSource',
        body: `  const hello = defineTool({
    name: 'hello',
    description: 'Greets a person.',
    risk: 'safe',
    inputSchema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    execute: ({ name }) => \`Hello, \${String(name)}\`,
  });
  return defineToolSource({ name: '${names.plugin}', load: () => ({ tools: [hello], failures: [] }) });`,
        doc: 'It brings one tool: find yours instead.',
      }),
  },
  interceptor: {
    ...template('interceptor'),
    source: (names) =>
      sourceOf(names, 'interceptor', {
        types: ['Interceptor', 'Plugin'],
        result: 'Interceptor',
        body: `  return { beforeTool: () => ({ action: 'continue' }) };`,
        doc: 'It lets every call pass: change or deny some, or replace results in its other members.',
      }),
  },
  middleware: {
    ...template('middleware'),
    source: (names) =>
      sourceOf(names, 'middleware', {
        types: ['Plugin', 'RunMiddleware'],
        result: 'RunMiddleware',
        body: `  return { model: (request, next) => next(request) };`,
        doc: 'It passes every request on: act before or after, or around steps and calls.',
      }),
  },
  guardrail: {
    ...template('guardrail'),
    source: (names) =>
      sourceOf(names, 'guardrail', {
        types: ['Guardrail', 'Plugin'],
        result: 'Guardrail',
        body: `  return {
    name: '${names.plugin}',
    output: (text) => (text.includes('swordfish') ? 'The response has the password' : undefined),
  };`,
        doc: 'It ends a run whose model writes one word: check requests, responses or calls instead.',
      }),
  },
  historyView: {
    ...template('historyView'),
    source: (names) =>
      sourceOf(names, 'historyView', {
        types: ['HistoryView', 'Plugin'],
        result: 'HistoryView',
        body: `  return { view: (messages) => messages };`,
        doc: 'It shows the whole conversation: leave out or shorten messages.',
      }),
  },
};

/** Returns the starter of an adapter without an implementation: its factory throws `E_UNSUPPORTED`. */
export function emptyStarter(port: string): Starter | undefined {
  const found = portTemplates[port];
  return (
    found && {
      ...found,
      source: (names) =>
        sourceOf(names, port, {
          values: ['KernelError', 'definePlugin'],
          types: [found.type, 'Plugin'].toSorted(),
          result: found.type,
          body: `  throw new KernelError('E_UNSUPPORTED', '${names.plugin} does not implement ${found.type} yet');`,
          doc: `@throws KernelError \`E_UNSUPPORTED\` until it is implemented`,
        }),
    }
  );
}

function template(port: string): PortTemplate {
  const found = portTemplates[port];
  if (found === undefined) throw new TypeError(`There is no template for ${port}`);
  return found;
}

interface SourceParts {
  readonly imports?: string;
  /** Of the kernel. */
  readonly values?: readonly string[];
  readonly types: readonly string[];
  readonly result: string;
  readonly options?: string;
  /** Name of the factory's options; begins with `_` if it does not read them. */
  readonly given?: string;
  readonly body: string;
  readonly doc: string;
  readonly create?: (factory: string) => string;
}

function sourceOf({ subject, plugin }: AdapterNames, port: string, parts: SourceParts): string {
  const {
    imports = '',
    values = ['definePlugin'],
    types,
    result,
    options = '{}',
    given = '_options',
    body,
    doc,
  } = parts;
  const create = parts.create?.(`create${subject}`) ?? `create${subject}`;
  return `${imports}import { ${values.join(', ')} } from '@ravi/kernel';
import type { ${types.join(', ')} } from '@ravi/kernel';

/** Options of {@link create${subject}}; \`configSchema\` has those that a configuration may set. */
export interface ${subject}Options ${options}

/** Opens the adapter. ${doc} */
export function create${subject}(${given}: ${subject}Options): ${result} {
${body}
}

const plugin: Plugin<'${port}', ${subject}Options> = definePlugin({
  name: '${plugin}',
  port: '${port}',
  configSchema: { type: 'object', properties: {}, additionalProperties: false },
  create: ${create},
});
export default plugin;
`;
}
