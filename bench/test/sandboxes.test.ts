import { strictEqual } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import { createAiSdkRunner } from '../src/sandboxes/ai-sdk-runner.ts';
import { createBareRunner } from '../src/sandboxes/bare-runner.ts';
import { createChainRunner } from '../src/sandboxes/chain-runner.ts';
import { rowCount, rowsOfBytes, rowsSource, textOf, textSource } from '../src/sandboxes/payloads.ts';
import { createTanStackQuickJsRunner, createTanStackRunner } from '../src/sandboxes/tanstack-runner.ts';
import { createUtcpRunner } from '../src/sandboxes/utcp-runner.ts';

const runners = [
  createChainRunner(),
  createBareRunner(),
  createTanStackRunner(),
  createTanStackQuickJsRunner(),
  await createUtcpRunner(),
  createAiSdkRunner(),
];

afterAll(async () => {
  for (const runner of runners) await runner[Symbol.asyncDispose]();
});

describe.each(runners)('$name', (runner) => {
  test('answers a script and its calls with the same values as the others', async () => {
    const [echo, text, rows] = [runner.reference('echo'), runner.reference('text'), runner.reference('rows')];
    strictEqual(await runner.run('return 1 + 1'), 2);
    strictEqual(await runner.run(`return (await ${echo}({ value: 7 })).value`), 7);
    strictEqual(await runner.run(`return (await ${text}({ bytes: 20000 })).length`), textOf(20_000).length);
    strictEqual(await runner.run(`return (await ${rows}({ bytes: 20000 })).length`), rowCount(20_000));
  });

  test('makes the same payloads inside as outside', async () => {
    strictEqual(await runner.run(`return ${textSource(5_000)}`), textOf(5_000));
    const rows = await runner.run(`return JSON.stringify(${rowsSource(5_000)})`);
    strictEqual(rows, JSON.stringify(rowsOfBytes(5_000)));
  });
});
