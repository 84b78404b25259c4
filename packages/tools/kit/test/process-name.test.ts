import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isRunning, processName, processPlace } from '../src/index.ts';

const module = new URL('../src/index.ts', import.meta.url).href;
const script = `
  import { writeSync } from 'node:fs';
  const { processName, processPlace } = await import(${JSON.stringify(module)});
  writeSync(1, processName + '\\n' + processPlace);
  process.stdin.resume();`;

test('the name of a process shows whether it still runs', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  const [name = '', place] = output.toString().split('\n');
  expect(name).toMatch(new RegExp(`^${child.pid}\\.`));
  expect(place).toBe(processPlace);
  expect([isRunning(name), isRunning(processName)]).toEqual([true, true]);
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(isRunning(name)).toBe(false);
});

test.runIf(process.platform === 'linux')('an id that another process has by now is not the process of the name', () => {
  const [id = ''] = processName.split('.');
  expect(isRunning(`${id}.1`)).toBe(false);
});
