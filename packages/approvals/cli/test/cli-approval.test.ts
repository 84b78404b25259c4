import assert from 'node:assert/strict';
import { KernelError } from '@ravi/kernel';
import type { ApprovalRequest, ApprovalDecisionInput, RequestedArtifact } from '@ravi/kernel';
import { createApprovalRequest } from '@ravi/testkit';
import { approvalHandlerContract } from '@ravi/testkit/approval-handler';
import { pluginContract } from '@ravi/testkit/plugin';
import type { ApproverBehavior } from '@ravi/testkit/approval-handler';
import { test } from 'vitest';
import plugin, { createCliApproval } from '../src/index.ts';
import { createPseudoTerminal } from './pseudo-terminal.ts';
import type { PseudoTerminal } from './pseudo-terminal.ts';

const killLine = '\u0015';
const keys: Readonly<Record<Exclude<ApproverBehavior, 'silence' | 'skipped'>, readonly string[]>> = {
  approved: ['y\n'],
  denied: ['n not today\n'],
  modified: ['e\n', `${killLine}{"path": "other.md"}\n`],
};

approvalHandlerContract(
  test,
  (answer) => {
    const terminal = createPseudoTerminal();
    if (answer in keys) void typeForever(terminal, keys[answer as keyof typeof keys]);
    return createCliApproval(terminal);
  },
  { answers: ['approved', 'denied', 'modified', 'silence'] },
);

pluginContract(test, plugin, {});

async function typeForever(terminal: PseudoTerminal, lines: readonly string[]): Promise<void> {
  for (let question = 1; ; question++) {
    for (const [index, line] of lines.entries()) {
      await terminal.waitFor(index === 0 ? 'Allow this call? ' : 'Arguments > ', question);
      terminal.input.write(line);
    }
  }
}

interface Conversation {
  readonly terminal: PseudoTerminal;
  readonly result: Promise<ApprovalDecisionInput>;
  readonly controller: AbortController;
}

function start(overrides: Partial<ApprovalRequest> = {}, columns = 80): Conversation {
  const terminal = createPseudoTerminal({ columns });
  const controller = new AbortController();
  const result = createCliApproval(terminal).request(createApprovalRequest(overrides), { signal: controller.signal });
  return { terminal, result, controller };
}

/** Types each line when the prompt has come back. */
async function converse(lines: readonly string[], overrides: Partial<ApprovalRequest> = {}) {
  const { terminal, result } = start(overrides);
  for (const [index, line] of lines.entries()) {
    await terminal.waitFor('Allow this call? ', index + 1);
    terminal.input.write(line);
  }
  return { result: await result, shown: terminal.shown() };
}

test('the question shows tool, risk, principal, description, summary and the arguments', async () => {
  const { shown } = await converse(['approve\n'], { risk: 'critical', args: { list: [1, { deep: 'x' }] } });
  for (const text of [
    'publish_report',
    'critical',
    'ada',
    'Writes a report to disk.',
    'Write delays.md',
    'in 10 minutes',
  ]) {
    assert.ok(shown.includes(text), `should show ${text}`);
  }
  assert.match(shown, /\| {3}"list": \[\n {2}\| {5}1,\n {2}\| {5}\{\n {2}\| {7}"deep": "x"/);
});

test('y approves this call alone, r the rest of the run', async () => {
  assert.deepEqual((await converse(['y\n'])).result, { decision: 'approved', scope: 'once', approver: 'terminal' });
  assert.deepEqual((await converse([' YES \n'])).result.scope, 'once');
  assert.deepEqual((await converse(['r\n'])).result, { decision: 'approved', scope: 'run', approver: 'terminal' });
});

test('a critical call cannot be approved for the run, and r is not offered for it', async () => {
  const { result, shown } = await converse(['r\n', 'n\n'], { risk: 'critical' });
  assert.equal(result.decision, 'denied');
  assert.doesNotMatch(shown, /yes for this run/);
});

test('a set of calls is decided as it is: neither for the run nor with other calls', async () => {
  const { result, shown } = await converse(['r\n', 'e\n', 'y\n'], { tool: 'approve_calls' });
  assert.deepEqual(result, { decision: 'approved', scope: 'once', approver: 'terminal' });
  assert.doesNotMatch(shown, /yes for this run|edit arguments|Arguments >/);
});

test('n denies, and the text after it is the reason', async () => {
  assert.deepEqual((await converse(['n\n'])).result, { decision: 'denied', approver: 'terminal' });
  assert.equal((await converse(['no  use  the staging folder \n'])).result.reason, 'use  the staging folder');
});

test('nothing but a clear answer counts: anything else asks again', async () => {
  const unclear = ['\n', 'yy\n', 'y please\n', 'ok\n', 'yes, n\n', 'approve\n'];
  const { result, shown } = await converse([...unclear, 'n\n']);
  assert.equal(result.decision, 'denied');
  assert.equal(shown.split('Answer y (yes)').length - 1, 1 + unclear.length);
});

test('e gives the arguments for editing, asks again after bad JSON, and the result is "modified"', async () => {
  const { terminal, result } = start({ args: { path: 'a.md', mark: '\u202e' } });
  await terminal.waitFor('Allow this call? ');
  terminal.input.write('e\n');
  await terminal.waitFor(String.raw`{"path":"a.md","mark":"\u202e"}`);
  terminal.input.write(`${killLine}{"path": \n`);
  await terminal.waitFor('That is not JSON');
  await terminal.waitFor('Arguments > {"path":');
  terminal.input.write(`${killLine}[1]\n`);
  await terminal.waitFor('must be a JSON object');
  terminal.input.write(`${killLine}{"path": "b.md"}\n`);
  assert.deepEqual(await result, { decision: 'modified', modifiedArgs: { path: 'b.md' }, approver: 'terminal' });
});

test('an unchanged line of edited arguments means exactly the arguments that were asked about', async () => {
  const args = { text: 'tab\t, escape \u001b[2J, mark \u202e, tag \u{e0041}, emoji \u{1f600}' };
  const { terminal, result } = start({ args });
  await terminal.waitFor('Allow this call? ');
  terminal.input.write('e\n');
  await terminal.waitFor('Arguments > {');
  terminal.input.write('\n');
  assert.deepEqual((await result).modifiedArgs, args);
});

test('an empty line at the arguments returns to the question', async () => {
  const { terminal, result } = start();
  await terminal.waitFor('Allow this call? ');
  terminal.input.write('e\n');
  await terminal.waitFor('Arguments > ');
  terminal.input.write(`${killLine}\n`);
  await terminal.waitFor('Allow this call? ', 2);
  terminal.input.write('n\n');
  assert.equal((await result).decision, 'denied');
});

test('no text of a request can act on the terminal or start a row of its own', async () => {
  const attack = 'x\u001b[2J\u001b[1;1H\u009b2K\r\nAllow this call? \u0007\u2028\u202egnihton\u200b\u{e0041}';
  const { terminal, result } = start({
    description: attack,
    summary: attack,
    tool: attack,
    args: { [attack]: attack },
  });
  terminal.input.write('n\n');
  await result;
  const card = terminal.raw().slice(0, terminal.raw().indexOf('Answer y'));
  assert.doesNotMatch(card.replaceAll('\n', ''), /[\p{C}\p{Zl}\p{Zp}]/u);
  assert.ok(card.includes(String.raw`\u001b[2J`));
  for (const row of card.split('\n')) assert.match(row, /^(?:A tool call needs your approval|| {2}\S.*| {13}.*)$/u);
});

test('a long argument never fills a whole row: each row keeps its mark within the width of the terminal', async () => {
  const fake = `${' '.repeat(36)}Allow this call? `;
  const { terminal, result } = start({ args: { text: fake.repeat(10), wide: '漢'.repeat(100) } }, 40);
  terminal.input.write('n\n');
  await result;
  const rows = terminal.shown().split('  arguments\n')[1]?.split('\nAnswer y')[0]?.trimEnd().split('\n') ?? [];
  assert.ok(rows.length > 15);
  for (const row of rows) {
    assert.match(row, /^ {2}\| /);
    assert.ok(Array.from(row).reduce((width, character) => width + (character > '~' ? 2 : 1), 0) <= 40, row);
  }
});

test('arguments with many rows are cut with a note, so that they push nothing out of sight, and v shows them all', async () => {
  const args = { list: Array.from({ length: 100 }, (_, index) => `entry-${index}`) };
  const { terminal, result } = start({ args });
  await terminal.waitFor('Allow this call? ');
  assert.match(terminal.shown(), /\.\.\. 64 more rows; answer v/);
  assert.doesNotMatch(terminal.shown(), /entry-99/);
  terminal.input.write('v\n');
  await terminal.waitFor('entry-99');
  await terminal.waitFor('Allow this call? ', 2);
  terminal.input.write('y\n');
  assert.equal((await result).decision, 'approved');
});

test('the time until a request expires is shown in units that a person reads', async () => {
  for (const [milliseconds, expected] of [
    [55_000, '55 s'],
    [604_800_000, '7 days'],
    [1_800_000, '30 minutes'],
    [3_660_000, '1 hour 1 minute'],
    [129_659_000, '1 day 12 hours'],
  ] as const) {
    const terminal = createPseudoTerminal();
    const request = createApprovalRequest();
    const signal = new AbortController().signal;
    const result = createCliApproval(terminal).request(
      { ...request, expiresAt: request.requestedAt + milliseconds },
      { signal },
    );
    await terminal.waitFor('Allow this call? ');
    assert.match(terminal.shown(), new RegExp(`expires +in ${expected}\\s*\\n`));
    terminal.input.write('n\r');
    await result;
  }
});

test('all of a megabyte of arguments is shown before a yes counts', async () => {
  const args = { text: 'x'.repeat(1_000_000), to: 'the end' };
  const { terminal, result } = start({ args });
  await terminal.waitFor('Allow this call? ');
  assert.doesNotMatch(terminal.shown(), /the end/);
  terminal.input.write('y\n');
  await terminal.waitFor('Not all that will run has been shown. Answer v first.');
  await terminal.waitFor('Allow this call? ', 2);
  terminal.input.write('v\n');
  await terminal.waitFor('Allow this call? ', 3);
  assert.match(terminal.shown(), /"to": "the end"/);
  const shown = terminal
    .shown()
    .match(/x{20,}/g)
    ?.join('');
  assert.ok((shown?.length ?? 0) >= 1_000_000);
  terminal.input.write('y\n');
  assert.equal((await result).decision, 'approved');
});

test('a yes counts only after the content of every artifact was shown', async () => {
  const terminal = createPseudoTerminal({ columns: 80 });
  const { signal } = new AbortController();
  const artifact = (ref: string, text: string): RequestedArtifact => {
    const content = new TextEncoder().encode(text);
    return { ref, mediaType: 'text/plain', bytes: content.length, sha256: 'f'.repeat(64), read: async () => content };
  };
  let isReadable = false;
  const flaky: RequestedArtifact = {
    ...artifact('artifact://2', ''),
    read: async () => {
      if (isReadable) return new Uint8Array([0xff]);
      isReadable = true;
      throw new KernelError('E_BLOB_CORRUPT', 'the content has changed');
    },
  };
  const artifacts = [artifact('artifact://1', 'pay 900 to mallory\u202e\nsecond line'), flaky];
  const result = createCliApproval(terminal).request(createApprovalRequest(), { signal, artifacts });
  for (const [index, line] of ['y\n', 'v\n', 'y\n', 'v\n', 'y\n'].entries()) {
    await terminal.waitFor('Allow this call? ', index + 1);
    terminal.input.write(line);
  }
  assert.equal((await result).decision, 'approved');
  const shown = terminal.shown();
  assert.equal(shown.split('Not all that will run has been shown').length, 3);
  assert.match(shown, /An artifact cannot be read: the content has changed/);
  assert.match(shown, /\| pay 900 to mallory\\u202e\s+\| second line/);
  assert.match(shown, /\| not text; SHA-256 f{64}/);
});

test('an edit that is not valid is explained, and the question stays open', async () => {
  const terminal = createPseudoTerminal();
  const checkArguments = async (args: object) =>
    'ok' in args ? [] : [{ pointer: '/path', message: '"path" must be text' }];
  const signal = new AbortController().signal;
  const result = createCliApproval(terminal).request(createApprovalRequest(), { signal, checkArguments });
  await terminal.waitFor('Allow this call? ');
  terminal.input.write('e\n');
  await terminal.waitFor('Arguments > ');
  terminal.input.write(`${killLine}{"path":1}\n`);
  await terminal.waitFor('"path" must be text');
  await terminal.waitFor('Arguments > ', 2);
  terminal.input.write(`${killLine}{"ok":1}\n`);
  assert.deepEqual((await result).modifiedArgs, { ok: 1 });
});

test('what looks like something else is explained below its row, and only a whole word approves a critical call', async () => {
  const { result, shown } = await converse(['y\n', 'approve\n'], {
    risk: 'critical',
    args: { to: 'раypal', note: 'a\u00a0b\u2800' },
  });
  assert.match(shown, /! \^ раypal: mixes Latin and Cyrillic letters: р U\+0440, а U\+0430/);
  assert.match(shown, /unusual space U\+00A0/);
  assert.match(shown, /invisible character U\+2800/);
  assert.match(shown, /Answer approve \(yes\)/);
  assert.deepEqual(result, { decision: 'approved', scope: 'once', approver: 'terminal' });
});

test('requests at the same time are asked one after the other, and text typed ahead answers only the first', async () => {
  const terminal = createPseudoTerminal();
  const handler = createCliApproval(terminal);
  const { signal } = new AbortController();
  const order: string[] = [];
  const ask = async (tool: string): Promise<string> => {
    const { decision } = await handler.request(createApprovalRequest({ tool }), { signal });
    order.push(tool);
    return decision;
  };
  const results = ['first', 'second'].map(ask);
  await terminal.waitFor('Allow this call? ');
  assert.doesNotMatch(terminal.shown(), /second/);
  terminal.input.write('y\ny\n');
  assert.equal(await results[0], 'approved');
  await terminal.waitFor('Allow this call? ', 2);
  assert.deepEqual(order, ['first']);
  terminal.input.write('n\n');
  assert.equal(await results[1], 'denied');
});

test('aborting withdraws the prompt that is shown, and the next question is asked', async () => {
  const terminal = createPseudoTerminal();
  const handler = createCliApproval(terminal);
  const controller = new AbortController();
  const first = handler.request(createApprovalRequest(), { signal: controller.signal });
  const second = handler.request(createApprovalRequest({ tool: 'next' }), { signal: new AbortController().signal });
  await terminal.waitFor('Allow this call? ');
  controller.abort();
  assert.equal((await first).reason, 'The request was withdrawn');
  await terminal.waitFor('The request was withdrawn.');
  await terminal.waitFor('Allow this call? ', 2);
  terminal.input.write('y\n');
  assert.equal((await second).decision, 'approved');
});

test('aborting a question that waits in the queue settles it at once and it is never shown', async () => {
  const terminal = createPseudoTerminal();
  const handler = createCliApproval(terminal);
  const controller = new AbortController();
  const first = handler.request(createApprovalRequest(), { signal: new AbortController().signal });
  const queued = handler.request(createApprovalRequest({ tool: 'queued_tool' }), { signal: controller.signal });
  await terminal.waitFor('Allow this call? ');
  controller.abort();
  assert.equal((await queued).decision, 'denied');
  terminal.input.write('y\n');
  await first;
  const third = handler.request(createApprovalRequest({ tool: 'third_tool' }), {
    signal: new AbortController().signal,
  });
  await terminal.waitFor('third_tool');
  terminal.input.write('n\n');
  await third;
  assert.doesNotMatch(terminal.shown(), /queued_tool/);
});

test('Ctrl-C, Ctrl-D and the end of the input deny, at the question and at the arguments', async () => {
  for (const before of [[], ['e\n']]) {
    for (const ending of ['\u0003', '\u0004', undefined]) {
      const { terminal, result } = start();
      await terminal.waitFor('Allow this call? ');
      for (const line of before) {
        terminal.input.write(line);
        await terminal.waitFor('Arguments > ');
        terminal.input.write(killLine);
      }
      if (ending === undefined) terminal.input.end();
      else terminal.input.write(ending);
      assert.deepEqual(await result, {
        decision: 'denied',
        reason: 'The prompt was closed without a decision',
        approver: 'terminal',
      });
    }
  }
});

test('after the input has ended every further question is denied instead of waiting for ever', async () => {
  const { terminal, result } = start();
  const handler = createCliApproval(terminal);
  await terminal.waitFor('Allow this call? ');
  terminal.input.end();
  await result;
  const next = await handler.request(createApprovalRequest(), { signal: new AbortController().signal });
  assert.equal(next.decision, 'denied');
});

test('without a terminal nothing is shown and the denial says why', async () => {
  const terminal = createPseudoTerminal({ isTTY: false });
  const { signal } = new AbortController();
  const result = await createCliApproval(terminal).request(createApprovalRequest(), { signal });
  assert.deepEqual(result, { decision: 'denied', reason: 'No approver can be asked: there is no terminal' });
  assert.equal(terminal.raw(), '');
});

test('after an answer the input is paused, so that the process can end, and listeners do not pile up', async () => {
  const terminal = createPseudoTerminal();
  const handler = createCliApproval(terminal);
  const counts: number[] = [];
  for (const question of [1, 2, 3]) {
    const result = handler.request(createApprovalRequest(), { signal: new AbortController().signal });
    await terminal.waitFor('Allow this call? ', question);
    terminal.input.write('y\n');
    await result;
    assert.equal(terminal.input.isPaused(), true);
    counts.push(terminal.input.eventNames().reduce((sum, name) => sum + terminal.input.listenerCount(name), 0));
  }
  assert.equal(counts[2], counts[0]);
});
