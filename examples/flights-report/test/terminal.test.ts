import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';

const entry = join(import.meta.dirname, '../src/main.ts');
const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') === true;
const builtConsole = join(import.meta.dirname, '../../../apps/console/dist/app/index.html');
const ctrlC = '\u0003';

/** Starts the demonstration at a terminal of its own, types each answer after its text is shown, and waits for the end. */
async function atTerminal(
  dataFolder: string,
  typed: readonly (readonly [shown: string, answer: string])[],
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const child = spawn('script', ['-qec', `exec '${process.execPath}' '${entry}' --port 0`, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', RAVI_DATA: dataFolder },
    stdio: 'pipe',
  });
  const waiting = [...typed];
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
    const [text = '', answer = ''] = waiting[0] ?? [];
    if (waiting.length === 0 || !shown.includes(text)) return;
    waiting.shift();
    child.stdin.write(answer);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  assert.equal(waiting.length, 0, shown);
  return { code, shown };
}

test.skipIf(!hasScript)(
  'at a terminal the user decides on the report, and then reads where the console is',
  async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'ravi-flights-'));
    try {
      const { code, shown } = await atTerminal(dataFolder, [
        ['Allow this call?', 'n not before May\r'],
        ['Ctrl+C ends the server', ctrlC],
      ]);
      assert.equal(code, 0, shown);
      assert.match(shown, /You will be asked here before the report is written/);
      assert.match(shown, /not published: .*not before May/);
      const console = existsSync(builtConsole) ? 'Open \\1 in a browser for the console.\r\n' : '';
      assert.match(shown, new RegExp(`listening on (\\S+)\r\n${console}Ctrl`));
      assert.equal(existsSync(join(dataFolder, 'reports')), false);
    } finally {
      await rm(dataFolder, { recursive: true, force: true });
    }
  },
);
