import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callUnprivileged } from '@ravi/testkit/unprivileged';
import { expect, test } from 'vitest';
import { createShellWorkspace } from './shell-workspace.ts';

test('a folder or file that may not be used is an error for the tool, and data for a command', async () => {
  using workspace = createShellWorkspace();
  const { root } = workspace;
  workspace.write({
    'secret.txt': 'value-of-the-secret',
    'closed/a.test.js': '',
    'project/package.json': '{"scripts":{"test":"node --test"}}',
    'sealed/a.txt': '',
  });
  writeFileSync(join(root, 'program'), '#!/bin/sh\n');
  chmodSync(join(root, '..'), 0o755);
  for (const name of ['closed', 'secret.txt', 'project/package.json']) chmodSync(join(root, name), 0o000);
  chmodSync(join(root, 'sealed'), 0o444);
  const made = await callUnprivileged({
    plugin: join(import.meta.dirname, '../src/index.ts'),
    options: { root, safeCommands: true },
    folder: root,
    calls: [
      ['bash', { command: 'pwd', cwd: 'closed' }],
      ['bash', { command: 'cat closed/a.test.js' }],
      ['code_exec', { code: 'print(1)', cwd: 'closed' }],
      ['test_runner', { cwd: 'closed' }],
      ['test_runner', { files: ['closed/a.test.js'] }],
      ['test_runner', { cwd: 'project' }],
      ['bash', { command: 'cat secret.txt; touch new; ./program; true' }],
      ['bash', { command: 'true', cwd: 'sealed' }],
    ],
  });
  for (const name of ['closed', 'sealed']) chmodSync(join(root, name), 0o755);
  expect(made.map(({ code }) => code)).toEqual([
    'E_FILE_FORBIDDEN',
    'E_FILE_FORBIDDEN',
    'E_FILE_FORBIDDEN',
    'E_FILE_FORBIDDEN',
    'E_FILE_FORBIDDEN',
    'E_FILE_FORBIDDEN',
    'ok',
    'E_FILE_FORBIDDEN',
  ]);
  expect(made[6]?.text).toMatch(/secret\.txt: Permission denied\n[^]*program: Permission denied\nExit code 0$/u);
  for (const { text } of made) expect(text).not.toMatch(/value-of-the-secret|ravi-shell-/u);
  expect(readdirSync(root)).not.toContain('new');
  rmSync(join(root, 'program'));
});
