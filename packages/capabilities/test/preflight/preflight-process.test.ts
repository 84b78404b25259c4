import { spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import { ToolInvoker, Toolbox } from '@ravi/invoker';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { createFakeClock } from '@ravi/testkit';
import type { FakeClock } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { createPreflight, runChain } from '../../src/index.ts';
import type { PreflightScript } from '../../src/index.ts';
import { officeTools } from './office-tools.ts';

const invoker = new ToolInvoker({ registry: new Toolbox(officeTools) });

function script(source: string): PreflightScript {
  return {
    source,
    registry: invoker.registry,
    session: { toolsEnabled: true, allows: () => true },
    argumentsMayChange: false,
  };
}

const wrong = script('return tools.get_wether({ city: "Oslo" })');
// Each level multiplies the overloads that the compiler has to try.
const endless = script(`return ${'[1].reduce((a, b) => '.repeat(24)}a${', 0)'.repeat(24)}`);
const stopped = { mistakes: [{ message: 'There is no tool named "get_wether"' }] };
const late = {
  mistakes: [],
  warnings: [{ message: 'The script was not checked before it ran: the check took longer than 2000 ms' }],
};

async function untilAsked(clock: FakeClock): Promise<void> {
  while (clock.pendingTimers === 0) await setImmediate();
}

test('a script that keeps the checker busy runs unchecked, with a warning, and the next one is checked', async () => {
  const clock = createFakeClock();
  await using preflight = createPreflight({ clock });
  await preflight.warm();
  const checked = preflight.check(endless);
  await untilAsked(clock);
  clock.advance(2_000);
  expect(await checked).toMatchObject(late);
  expect(await preflight.check(wrong)).toMatchObject(stopped);
  expect(clock.pendingTimers).toBe(0);
});

test('scripts queued after such a script run unchecked after the same time', async () => {
  const clock = createFakeClock();
  await using preflight = createPreflight({ clock });
  await preflight.warm();
  const checks = [endless, wrong, wrong].map((each) => preflight.check(each));
  await untilAsked(clock);
  clock.advance(2_000);
  expect(await Promise.all(checks)).toMatchObject([late, late, late]);
});

test('a helper that is slow to start is not started again, and its late answers are dropped', async () => {
  const clock = createFakeClock();
  const starts = await countHelpers(async () => {
    await using preflight = createPreflight({ clock });
    const checked = preflight.check(script('return 1'));
    await untilAsked(clock);
    clock.advance(10_000);
    await untilAsked(clock);
    clock.advance(2_000);
    expect(await checked).toMatchObject(late);
    expect(await preflight.check(wrong)).toMatchObject(stopped);
  });
  expect(starts).toBe(1);
});

test('a script that breaks the checker runs unchecked, with a warning, and the next one is checked', async () => {
  await using preflight = createPreflight({ timeLimitMs: 60_000 });
  expect(await preflight.check(script(`return ${'['.repeat(50_000)}${']'.repeat(50_000)}`))).toMatchObject({
    mistakes: [],
    warnings: [{ message: 'The script was not checked before it ran: the check failed' }],
  });
  expect(await preflight.check(wrong)).toMatchObject(stopped);
});

test('a script that fills the memory of the checker ends the checker and not the host', async () => {
  await using preflight = createPreflight({ timeLimitMs: 60_000 });
  const digits = '0|1|2|3|4|5|6|7|8|9';
  const texts = Array.from({ length: 900 }, (_, n) => `const v${n}: \`\${D}\${D}\${D}\${D}x${n}\` = '';`);
  expect(await preflight.check(script(`type D = ${digits};\n${texts.join('\n')}`))).toMatchObject({
    mistakes: [],
    warnings: [{ message: 'The script was not checked before it ran: the check failed' }],
  });
  expect(await preflight.check(wrong)).toMatchObject(stopped);
});

test('many scripts at once are all checked, each against its own tools', async () => {
  await using preflight = createPreflight({ timeLimitMs: 60_000 });
  const names = officeTools.map(({ name }) => name).filter((name) => !name.includes('.'));
  const reports = await Promise.all(names.map((name) => preflight.check(script(`await tools.${name}s({})`))));
  expect(reports.map(({ mistakes }) => mistakes[0]?.message)).toEqual(
    names.map((name) => `There is no tool named "${name}s"`),
  );
});

test('it starts again after it was disposed', async () => {
  const preflight = createPreflight({ timeLimitMs: 60_000 });
  expect(await preflight.check(wrong)).toMatchObject(stopped);
  await preflight[Symbol.asyncDispose]();
  expect(await preflight.check(wrong)).toMatchObject(stopped);
  await preflight[Symbol.asyncDispose]();
});

test('when disabled, it starts no process', async () => {
  await using sandbox = createVmSandbox({ unsafe: true });
  const run = (options: object): Promise<unknown> => runChain({ code: 'return 1', invoker, sandbox, ...options });
  expect(await countHelpers(() => run({ preflight: false }))).toBe(0);
  await using preflight = createPreflight();
  expect(await countHelpers(() => run({ preflight }))).toBe(1);
});

test('an idle checker does not keep its process alive', () => {
  const source = `
    import { Toolbox } from '@ravi/invoker';
    import { createPreflight } from '${new URL('../../src/index.ts', import.meta.url)}';
    const session = { toolsEnabled: true, allows: () => true };
    const preflight = createPreflight({ timeLimitMs: 60000 });
    const report = await preflight.check({ source: 'return nothing', registry: new Toolbox(), session, argumentsMayChange: false });
    console.log(report.warnings[0].message);`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  expect(stdout).toBe("Cannot find name 'nothing'.\n");
  expect(status).toBe(0);
});

async function countHelpers(run: () => Promise<unknown>): Promise<number> {
  const started: ChildProcess[] = [];
  const note = (message: unknown): void => void started.push((message as { readonly process: ChildProcess }).process);
  subscribe('child_process', note);
  try {
    await run();
  } finally {
    unsubscribe('child_process', note);
  }
  return started.filter(({ spawnargs }) => spawnargs.some((argument) => argument.includes('preflight-helper'))).length;
}
