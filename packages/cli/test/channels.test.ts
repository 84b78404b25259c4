import assert from 'node:assert/strict';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

const configuration = { channels: { shared: ['news'] } };

test('channels are written, listed, read and deleted at the terminal', async () => {
  await using server = await startServer({ 'ravi.config.json': JSON.stringify(configuration) });
  const { ravi } = server;
  assert.match((await ravi(['channels', 'send', 'team', 'hello \u001b[31m'])).output, /^Sent as \d+ into team\n$/);
  await ravi(['channels', 'send', 'team', '{"a":1}', '--as-json', '--id', 'one']);
  await ravi(['channels', 'send', 'team', '{"a":2}', '--as-json', '--id', 'one']);
  await ravi(['channels', 'send', 'news', 'for all']);
  const wrong = await ravi(['channels', 'send', 'team', '{', '--as-json']);
  assert.match(wrong.errors, /not JSON/);
  assert.match((await ravi(['channels', 'send', 'a b', 'x'])).errors, /name of a channel/);

  const listed = (await ravi(['channels', 'ls'])).output;
  assert.match(listed, /news +shared +1 message /);
  assert.match(listed, /team +private +2 messages /);
  const read = await ravi(['channels', 'read', 'team']);
  assert.match(read.output, /caller \(local\) +hello .*\n.*\{"a":1\}\n$/);
  assert.ok(!read.output.includes('\u001b[31m'), 'control characters do not reach the terminal');
  const page = JSON.parse((await ravi(['channels', 'read', 'team', '--limit', '1', '--json'])).output);
  assert.deepEqual(page.items[0].message, { a: 1 });

  assert.equal((await ravi(['channels', 'delete', 'team'])).output, 'Deleted: team\n');
  assert.match((await ravi(['channels', 'delete', 'team'])).errors, /no channel "team"/);
});

test('memories are listed and deleted at the terminal', async () => {
  const plugins = { toolSource: [{ use: '@ravi/tools-memory', trustAgents: true }] };
  await using server = await startServer({ 'ravi.config.json': JSON.stringify({ plugins }) });
  const { ravi } = server;
  for (const text of ['Grace likes tea', 'Tom likes milk']) {
    await ravi(['tools', 'call', 'remember', JSON.stringify({ text })]);
  }
  assert.match((await ravi(['memories', 'ls'])).output, /Tom likes milk\n.*Grace likes tea\n$/);
  const found = await ravi(['memories', 'ls', '--query', 'tea', '--json']);
  const [memory, ...others] = JSON.parse(found.output).items;
  assert.deepEqual([memory.text, others.length], ['Grace likes tea', 0]);
  assert.equal((await ravi(['memories', 'delete', memory.id])).output, 'Deleted 1 memory\n');
  assert.match((await ravi(['memories', 'delete', memory.id])).errors, /no memory/);
  assert.match((await ravi(['memories', 'delete'])).errors, /--all/);
  assert.equal((await ravi(['memories', 'delete', '--all'])).output, 'Deleted 1 memory\n');
  assert.equal((await ravi(['memories', 'ls', '--json'])).output, '{"items":[]}\n');
});
