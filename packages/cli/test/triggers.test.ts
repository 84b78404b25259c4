import assert from 'node:assert/strict';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

test('triggers add, ls, show and cancel create, list, show and end them', async () => {
  await using server = await startServer({ 'ravi.config.json': '{}' });
  const added = await server.ravi(['triggers', 'add', 'Look at the news\nand more', '--cron', '0 9 * * *', '--json']);
  assert.equal(added.code, 0, added.errors);
  const { id, spec, nextDueAt } = JSON.parse(added.output);
  assert.deepEqual(spec, { kind: 'schedule', cron: '0 9 * * *', timeZone: 'UTC' });
  assert.equal(new Date(nextDueAt).getUTCHours(), 9);

  const timer = await server.ravi(['triggers', 'add', 'tick', '--in', '1.5h', '--every', '1d', '--misfire', 'skip']);
  assert.match(timer.output, /^trigger_\w+ +active +every 86400 s +20\d\d-\d\d-\d\d \d\d:\d\d:\d\d +tick$/m);
  const listed = await server.ravi(['triggers', 'ls', '--kind', 'schedule']);
  assert.match(listed.output, new RegExp(`^${id} +active +0 9 \\* \\* \\* UTC +20.* 09:00:00 +Look at the news$`, 'm'));
  assert.doesNotMatch(listed.output, /tick/);

  const shown = await server.ravi(['triggers', 'show', id]);
  assert.match(shown.output, /^missed +0, policy once$/m);
  assert.match(shown.output, /^may +call \d+ tools, up to risk safe without approval$/m);
  const cancelled = await server.ravi(['triggers', 'cancel', id]);
  assert.deepEqual([cancelled.code, cancelled.output.trim()], [0, `${id} is cancelled`]);
  const ended = await server.ravi(['triggers', 'ls', '--status', 'cancelled', '--json']);
  assert.deepEqual(
    JSON.parse(ended.output).items.map((item: { readonly id: string }) => item.id),
    [id],
  );
});

test('triggers add says which option is wrong, before and after it asks the server', async () => {
  await using server = await startServer({ 'ravi.config.json': '{}' });
  for (const [options, message] of [
    [[], /needs a time \(--in, --at, --every\), --cron or --channel; none/],
    [['--in', '1h', '--cron', '@daily'], /several of them were given/],
    [['--in', 'soon'], /--in is "soon"; it must be a number with s, m, h or d/],
    [['--every', '1w'], /--every is "1w"/],
    [['--at', '2026-12-24 18:00'], /time with its zone/],
    [['--at', '2001-01-01T00:00Z'], /2001-01-01.* has passed/],
    [['--in', '1h', '--time-zone', 'UTC'], /--time-zone belongs to --cron/],
    [['--cron', '0 9 * *'], /has 4 fields/],
    [['--cron', '@daily', '--time-zone', 'Berlin'], /Europe\/Berlin/],
    [['--in', '1h', '--agent', 'rabi'], /Did you mean ravi/],
  ] as const) {
    const refused = await server.ravi(['triggers', 'add', 'work', ...options]);
    assert.notEqual(refused.code, 0, options.join(' '));
    assert.match(refused.errors, message);
  }
  const unknown = await server.ravi(['triggers', 'show', 'trigger_x']);
  assert.match(unknown.errors, /E_TRIGGER_UNKNOWN: There is no trigger "trigger_x"/);
});
