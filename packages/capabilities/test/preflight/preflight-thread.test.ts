import { spawnSync } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { ToolInvoker, Toolbox } from '@ravi/agents';
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
// Each level has the choice of overloads that the levels above have, too.
const endless = script(`return ${'[1].reduce((a, b) => '.repeat(24)}a${', 0)'.repeat(24)}`);
const stopped = { mistakes: [{ message: 'There is no tool named "get_wether"' }] };
const late = {
  mistakes: [],
  warnings: [{ message: 'The script was not checked before it ran: the check took longer than 2000 ms' }],
};

async function untilAsked(clock: FakeClock): Promise<void> {
  while (clock.pendingTimers === 0) await setImmediate();
}

test('a script that takes the checker ages runs unchecked, with a warning, and the next one is checked', async () => {
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

test('scripts that wait behind such a one run unchecked after the same time', async () => {
  const clock = createFakeClock();
  await using preflight = createPreflight({ clock });
  await preflight.warm();
  const checks = [endless, wrong, wrong].map((each) => preflight.check(each));
  await untilAsked(clock);
  clock.advance(2_000);
  expect(await Promise.all(checks)).toMatchObject([late, late, late]);
});

test('a thread that is slow to start is not started again, and its late answers go nowhere', async () => {
  const clock = createFakeClock();
  const starts = await countWorkers(async () => {
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

test('what the checker cannot cope with runs unchecked, with a warning, and the next one is checked', async () => {
  await using preflight = createPreflight({ timeLimitMs: 60_000 });
  expect(await preflight.check(script(`return ${'['.repeat(50_000)}${']'.repeat(50_000)}`))).toMatchObject({
    mistakes: [],
    warnings: [{ message: 'The script was not checked before it ran: the check broke down' }],
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

test('after it was disposed of it starts again', async () => {
  const preflight = createPreflight({ timeLimitMs: 60_000 });
  expect(await preflight.check(wrong)).toMatchObject(stopped);
  await preflight[Symbol.asyncDispose]();
  expect(await preflight.check(wrong)).toMatchObject(stopped);
  await preflight[Symbol.asyncDispose]();
});

test('switched off, it starts nothing', async () => {
  await using sandbox = createVmSandbox({ unsafe: true });
  const run = (options: object): Promise<unknown> => runChain({ code: 'return 1', invoker, sandbox, ...options });
  expect(await countWorkers(() => run({ preflight: false }))).toBe(0);
  await using preflight = createPreflight();
  expect(await countWorkers(() => run({ preflight }))).toBe(1);
});

test('an idle checker does not keep its process alive', () => {
  const source = `
    import { Toolbox } from '@ravi/agents';
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

async function countWorkers(run: () => Promise<unknown>): Promise<number> {
  let started = 0;
  const count = (): void => void started++;
  process.on('worker', count);
  try {
    await run();
  } finally {
    process.off('worker', count);
  }
  return started;
}
