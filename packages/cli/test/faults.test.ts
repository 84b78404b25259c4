import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createRavi } from './support/ravi.ts';

const careless = `
const tool = (name, execute) => ({
  name, description: 'Does ' + name + '.', risk: 'safe', inputSchema: { type: 'object' }, execute });
const said = (text) => ({ content: [{ type: 'text', text }], isError: false });
export default [
  tool('forget', async () => { Promise.reject(new Error('late\\nrejection')); return said('forgot'); }),
  tool('explode', () => { setTimeout(() => { throw new Error('late throw'); }, 5); return new Promise(() => {}); }),
];`;
const files = { 'tools/careless.mjs': careless };

test('a promise that a tool forgets is one line of warning, and the command continues', async () => {
  await using ravi = await createRavi(files);
  const { code, output, errors } = await ravi.run(['tools', 'call', 'forget']);
  assert.deepEqual([code, output], [0, 'forgot\n'], errors);
  assert.match(errors, /^warning: unhandled promise rejection: late \(\/.*careless\.mjs:6:\d+\)$/m);
  assert.doesNotMatch(errors, /^ +at /m);
});

test('an uncaught exception ends a command with 1 and one line', async () => {
  await using ravi = await createRavi(files);
  const plain = await ravi.run(['tools', 'call', 'explode']);
  assert.equal(plain.code, 1);
  assert.match(plain.errors, /^E_INTERNAL: late throw \(\/.*careless\.mjs:7:\d+\)$/m);
  assert.doesNotMatch(plain.errors, /^ +at |Node\.js v/m);
  const json = await ravi.run(['tools', 'call', 'explode', '--json']);
  assert.equal(json.code, 1);
  const { error } = JSON.parse(json.output) as { readonly error: { readonly code: string; readonly message: string } };
  assert.equal(error.code, 'E_INTERNAL');
  assert.match(error.message, /^late throw \(/);
});

test('what no plugin should throw is one line, of a server that cannot start too', async () => {
  const config = { plugins: { blobStore: { use: './store.mjs' } } };
  const store = `export default {
    name: 'broken', port: 'blobStore', apiVersion: 1, setup: () => { throw new Error('broken'); } };`;
  await using ravi = await createRavi({ 'ravi.config.json': JSON.stringify(config), 'store.mjs': store });
  for (const args of [
    ['serve', '--port', '0'],
    ['runs', 'ls'],
  ]) {
    const { code, errors } = await ravi.run(args);
    assert.notEqual(code, 0, errors);
    assert.doesNotMatch(errors, /^ +at |Node\.js v/m);
  }
});

test('a served installation takes charge of what its tools do not catch', async () => {
  const late = `setTimeout(() => { throw new Error('late throw'); }, 5); export default [];`;
  await using ravi = await createRavi({ 'tools/late.mjs': late });
  const { code, errors } = await ravi.run(['serve', '--port', '0']);
  assert.equal(code, 1, errors);
  assert.match(errors, /^\{"level":"error",.*"late throw".*\}$/m);
  assert.doesNotMatch(errors, /^ +at /m);
});
