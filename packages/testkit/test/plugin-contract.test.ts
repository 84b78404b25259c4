import assert from 'node:assert/strict';
import type { ApprovalHandler, Plugin } from '@ravi/kernel';
import { test } from 'vitest';
import { pluginContract } from '../src/plugin.ts';
import { failuresOf, runSuite } from './run-suite.ts';

interface Options {
  answer: 'approved' | 'denied';
  readonly note: string;
}

const good: Plugin<'approvalHandler', Options> = {
  name: 'approval-fixed',
  port: 'approvalHandler',
  configSchema: {
    type: 'object',
    required: ['answer'],
    additionalProperties: false,
    properties: { answer: { enum: ['approved', 'denied'] }, note: { type: 'string', default: 'fixed' } },
  },
  create: ({ answer, note }) => ({ request: async () => ({ decision: answer, reason: note }) }),
};

async function failures(
  change: Partial<Plugin<'approvalHandler', Options>>,
  options: Partial<Options> = { answer: 'denied' },
) {
  return failuresOf(await runSuite((run) => pluginContract(run, { ...good, ...change }, options)));
}

test('a good plugin passes every test, with the defaults of its schema filled in', async () => {
  const notes: string[] = [];
  const create = (options: Options): ApprovalHandler => {
    notes.push(options.note);
    return good.create(options, undefined as never) as ApprovalHandler;
  };
  assert.deepEqual(await failures({ create }), []);
  assert.deepEqual(new Set(notes), new Set(['fixed']));
});

test('a plugin with a name for people or an unknown port fails', async () => {
  const name = 'the plugin has a name, a port of the kernel and a factory';
  assert.ok((await failures({ name: 'My Plugin' })).includes(name));
  assert.ok((await failures({ port: 'toString' as never })).includes(name));
});

test('a schema that is broken, open, or takes "use" for itself fails', async () => {
  const sound = 'the schema of the options is a sound object schema that refuses unknown options';
  const own = 'the schema leaves "use" to the host and describes every required option';
  const schema = good.configSchema;
  assert.deepEqual(await failures({ configSchema: { ...schema, additionalProperties: true } }), [sound]);
  assert.ok(
    (await failures({ configSchema: { ...schema, patternProperties: { x: { type: 'text' } } } })).includes(sound),
  );
  assert.ok((await failures({ configSchema: { ...schema, properties: { use: {}, answer: {} } } })).includes(own));
  assert.ok((await failures({ configSchema: { ...schema, required: ['gone'] } })).includes(own));
});

test('sample options that the schema does not know, or that miss a required one, fail', async () => {
  const fit = 'the sample options fit the schema at its top level';
  assert.deepEqual(await failures({}, {}), [fit]);
  assert.deepEqual(await failures({}, { answer: 'denied', typo: 1 } as Partial<Options>), [fit]);
});

test('a plugin that writes into its options, lacks a member of its port or shares one instance fails', async () => {
  const opens = 'create returns an object with the members of the port, and does not change the options';
  const twice = 'two instances are independent, and closing one twice does not affect the other';
  const shared: ApprovalHandler = { request: async () => ({ decision: 'denied' }) };
  assert.deepEqual(await failures({ create: () => shared }), [twice]);
  assert.ok((await failures({ create: () => ({}) as ApprovalHandler })).includes(opens));
  const writes = (options: Options): ApprovalHandler => {
    options.answer = 'approved';
    return { ...shared };
  };
  assert.deepEqual(await failures({ create: writes }), [opens]);
});

test('a plugin whose second closing throws fails', async () => {
  const create = (): ApprovalHandler => {
    let closed = false;
    const close = async (): Promise<void> => {
      if (closed) throw new Error('closed already');
      closed = true;
    };
    return { request: async () => ({ decision: 'denied' }), [Symbol.asyncDispose]: close } as ApprovalHandler;
  };
  assert.equal((await failures({ create })).length, 1);
});
