import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plugin, PluginContext, PortName, Ports } from '@ravi/kernel';
import { systemClock } from '@ravi/kernel';
import { deepFreeze } from './suite/deep-freeze.ts';
import { createMemoryLogger } from './doubles/memory-logger.ts';
import { isRecord, schemaProblems } from './suite/schema-problems.ts';
import type { ContractTest } from './suite/contract-test.ts';

/** Members that an adapter of each port must have. The types keep the names in step with the kernel. */
const portMembers: { readonly [Port in PortName]: readonly (keyof Ports[Port])[] } = {
  blobStore: ['store', 'resolve', 'open', 'stat', 'pin', 'unpin', 'delete', 'sweep'],
  approvalHandler: ['request'],
  sandbox: ['name', 'supports', 'run'],
  stateStore: ['runs', 'journal', 'approvals', 'jobs', 'history', 'snippets'],
  runEngine: ['name', 'supports', 'wake', 'work', 'signal', 'figures', 'listDead', 'retryDead', 'removeDead'],
  modelProvider: ['id', 'stream'],
  toolSource: ['name', 'open'],
  // Their suites look for the members of which one is there.
  interceptor: [],
  middleware: [],
  guardrail: ['name'],
  historyView: ['view'],
};

/**
 * Registers the suite for plugins of any port: it checks the fields that the host reads, and that the plugin opens, reopens
 * and closes. `sampleOptions` are valid options other than `use`; top-level defaults of the schema are filled in. Each test
 * opens the plugin in an empty folder of its own, with the `stateStore` of `context` for one that needs it.
 */
export function pluginContract<Port extends PortName, Options>(
  test: ContractTest,
  plugin: Plugin<Port, Options>,
  sampleOptions: NoInfer<Partial<Options>>,
  context: Pick<PluginContext, 'stateStore'> = {},
): void {
  const schema = plugin.configSchema;
  const openFolder = (): Promise<OpenedFolder> => openEmptyFolder(context);

  test('the plugin has a name, a port of the kernel and a factory', () => {
    assert.match(plugin.name, /^[a-z0-9][a-z0-9-]*$/, 'the name is lower case with hyphens');
    assert.ok(Object.hasOwn(portMembers, plugin.port), `"${plugin.port}" is not a port`);
    assert.equal(typeof plugin.create, 'function');
  });

  test('the schema of the options is a sound object schema that refuses unknown options', () => {
    assert.deepEqual(schemaProblems(schema), []);
    assert.equal(schema['type'], 'object');
    assert.equal(
      schema['additionalProperties'],
      false,
      'additionalProperties must be false, so that a typo is reported',
    );
    assert.deepEqual(JSON.parse(JSON.stringify(schema)), schema, 'the schema must be plain JSON');
  });

  test('the schema leaves "use" to the host and describes every required option', () => {
    const known = Object.keys(propertiesOf(schema));
    assert.ok(!known.includes('use'), '"use" belongs to the host');
    for (const name of (schema['required'] ?? []) as string[])
      assert.ok(known.includes(name), `"${name}" is not described`);
  });

  test('the sample options fit the schema at its top level', () => {
    const options = completed(schema, sampleOptions);
    const known = Object.keys(propertiesOf(schema));
    for (const name of Object.keys(options)) assert.ok(known.includes(name), `"${name}" is not in the schema`);
    for (const name of (schema['required'] ?? []) as string[])
      assert.ok(Object.hasOwn(options, name), `"${name}" is missing`);
  });

  test('create returns an object with the members of the port, and does not change the options', async () => {
    await using folder = await openFolder();
    await using opened = await open(plugin, deepFreeze(completed(schema, sampleOptions)), folder.context);
    for (const member of portMembers[plugin.port]) {
      assert.ok(opened.value[member] !== undefined, `${plugin.port} needs "${String(member)}"`);
    }
  });

  test('two instances are independent, and closing one twice does not affect the other', async () => {
    await using first = await openFolder();
    await using second = await openFolder();
    const one = await open(plugin, completed(schema, sampleOptions), first.context);
    await using other = await open(plugin, completed(schema, sampleOptions), second.context);
    assert.notEqual(one.value, other.value);
    await one[Symbol.asyncDispose]();
    await one[Symbol.asyncDispose]();
    assert.ok(portMembers[plugin.port].every((member) => other.value[member] !== undefined));
  });
}

interface Opened<Port extends PortName> extends AsyncDisposable {
  readonly value: Ports[Port];
}

async function open<Port extends PortName, Options>(
  plugin: Plugin<Port, Options>,
  options: object,
  context: PluginContext,
): Promise<Opened<Port>> {
  const value = await plugin.create(options as Options, context);
  return {
    value,
    async [Symbol.asyncDispose]() {
      await (value as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.();
      (value as Partial<Disposable>)[Symbol.dispose]?.();
    },
  };
}

interface OpenedFolder extends AsyncDisposable {
  readonly context: PluginContext;
}

async function openEmptyFolder(context: Pick<PluginContext, 'stateStore'>): Promise<OpenedFolder> {
  const baseDir = await mkdtemp(join(tmpdir(), 'ravi-plugin-'));
  return {
    context: { baseDir, clock: systemClock, logger: createMemoryLogger(), ...context },
    [Symbol.asyncDispose]: () => rm(baseDir, { recursive: true, force: true }),
  };
}

function completed(schema: Readonly<Record<string, unknown>>, options: object): object {
  const defaults = Object.entries(propertiesOf(schema)).flatMap(([name, property]) =>
    isRecord(property) && 'default' in property ? [[name, property['default']] as const] : [],
  );
  return structuredClone({ ...Object.fromEntries(defaults), ...options });
}

function propertiesOf(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isRecord(schema['properties']) ? schema['properties'] : {};
}
