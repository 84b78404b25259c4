import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'vitest';

const entry = join(import.meta.dirname, '../src/main.ts');

const sayTool = (text: string): string => `export default {
  name: 'say', description: 'Says it.', risk: 'safe', inputSchema: { type: 'object' },
  execute: async () => ({ content: [{ type: 'text', text: '${text}' }], isError: false }),
};`;

test(
  'ravi dev shows calls, and reads edited files again; a broken tool stays as it was',
  { timeout: 60_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ravi-dev-'));
    const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
    await mkdir(join(folder, 'tools'));
    await write('tools/say.mjs', sayTool('one'));
    await write('tools/plain.mjs', sayTool('plain').replace(`'say'`, `'plain'`));
    await write('ravi.config.json', JSON.stringify({ tools: ['./tools'] }));
    const child = spawn(process.execPath, [entry, 'dev', '--port', '0', '--no-open'], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines: string[] = [];
    const waiting = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        for (const look of waiting) look();
      });
    }
    const line = (pattern: RegExp): Promise<string> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find((each) => pattern.test(each));
          if (found !== undefined) resolve(found);
        };
        waiting.add(look);
        AbortSignal.timeout(8_000).addEventListener('abort', () =>
          reject(new Error(`no ${pattern} in\n${lines.join('\n')}`)),
        );
        look();
      });
    try {
      const url = (await line(/^listening on /)).replace('listening on ', '');
      await line(/are read again when they change/);
      const say = async (): Promise<string> => {
        const body = JSON.stringify({ args: {} });
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(`${url}/v1/tools/say`, { method: 'POST', body, headers });
        return ((await response.json()) as { readonly text: string }).text;
      };
      assert.equal(await say(), 'one');
      await line(/^say: ok in \d+\.\d ms$/);

      await write('tools/say.mjs', sayTool('two'));
      await line(/^reloaded tools: changed plain, say$/);
      assert.equal(await say(), 'two');

      await write('tools/say.mjs', `export default {\n  name: 'say' broken };`);
      await line(/^tools\/say\.mjs: .*say\.mjs:2:15.*; say stays as before$/);
      assert.equal(await say(), 'two');
      await write('tools/new.mjs', 'export default { name: }');
      await line(/^tools\/new\.mjs: .*new\.mjs:1:24/);

      await mkdir(join(folder, 'more'));
      await write('more/extra.mjs', sayTool('x').replace(`'say'`, `'extra'`));
      await write('ravi.config.json', JSON.stringify({ tools: ['./tools', './more'] }));
      await line(/^reloaded more: added extra$/);
      // No tool has changed when only a broken file has.
      assert.equal(lines.filter((each) => each.startsWith('reloaded tools:')).length, 1, lines.join('\n'));
      // The new folder is watched too.
      await write('more/third.mjs', sayTool('x').replace(`'say'`, `'third'`));
      await line(/^reloaded more: added third$/);

      await mkdir(join(folder, 'shop/tools'), { recursive: true });
      const workspaces = { shop: { path: './shop' } };
      await write('ravi.config.json', JSON.stringify({ tools: ['./tools', './more'], workspaces }));
      await line(/^reloaded configuration: changed workspaces\.shop$/);
      await write('shop/tools/stock.mjs', sayTool('x').replace(`'say'`, `'stock'`));
      await line(/^reloaded shop: added stock$/);

      await write('ravi.config.json', '{ "tools": [,] }');
      await line(/^ravi\.config\.json:1:13: expected a value.*the previous configuration stays$/);
      await write('ravi.config.json', '{ "tools": 5 }');
      await line(/^ravi\.config\.json: tools must be.*the previous configuration stays$/);
      // A mistake is shown once, not also as a line of the log.
      assert.equal(lines.filter((each) => each.includes('ravi.config.json:1:13')).length, 1, lines.join('\n'));
      assert.equal(await say(), 'two');
    } finally {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    }
  },
);
