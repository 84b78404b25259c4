import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, watch, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createSeededRandom, createToolContext } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { pinHost } from '../src/remote/pin-host.ts';
import { readAddress } from '../src/remote/read-address.ts';
import { createGitFolder } from './support/git-folder.ts';

const names = [
  'git_status',
  'git_diff',
  'git_log',
  'git_show',
  'git_blame',
  'git_branch',
  'git_add',
  'git_commit',
  'git_switch',
  'git_restore',
  'git_stash',
  'git_merge',
  'git_rebase',
  'git_reset',
  'git_clean',
  'git_init',
  'git_clone',
  'git_fetch',
  'git_push',
];

test('every tool refuses arguments of wrong types and unknown names before it does anything', async () => {
  await using folder = await createGitFolder();
  for (const name of names) {
    for (const args of [{ unknown: 1 }, { repository: 7, folder: 7 }, { repository: null, folder: null }]) {
      expect([name, await folder.code(name, args)]).toEqual([name, 'E_ARGUMENTS_INVALID']);
    }
    const { documentation, description } = folder.tool(name);
    expect([description === '', documentation?.() === '']).toEqual([false, false]);
  }
});

test('an argument is never taken for an option, a range, a pattern or a path outside', async () => {
  await using folder = await createGitFolder();
  const before = folder.git('for-each-ref');
  const outside = '--output=../evil';
  const calls: readonly (readonly [string, object, string])[] = [
    ['git_log', { revision: outside }, 'E_ARGUMENTS_INVALID'],
    ['git_log', { revision: 'HEAD..HEAD' }, 'E_ARGUMENTS_INVALID'],
    ['git_log', { revision: ':/First' }, 'E_ARGUMENTS_INVALID'],
    ['git_log', { notIn: '-x' }, 'E_ARGUMENTS_INVALID'],
    ['git_log', { revision: '' }, 'E_ARGUMENTS_INVALID'],
    ['git_log', { revision: 'x'.repeat(300) }, 'E_ARGUMENTS_INVALID'],
    ['git_log', { revision: 'nope' }, 'E_GIT_UNKNOWN_REVISION'],
    ['git_diff', { from: outside }, 'E_ARGUMENTS_INVALID'],
    ['git_diff', { to: 'HEAD' }, 'E_ARGUMENTS_INVALID'],
    ['git_diff', { paths: ['../outside'] }, 'E_PATH_OUTSIDE'],
    ['git_diff', { paths: ['/etc/passwd'] }, 'E_PATH_OUTSIDE'],
    ['git_diff', { paths: ['a\0b'] }, 'E_ARGUMENTS_INVALID'],
    ['git_show', { revision: '--textconv' }, 'E_ARGUMENTS_INVALID'],
    ['git_show', { revision: 'HEAD', path: '../a.txt' }, 'E_PATH_OUTSIDE'],
    ['git_blame', { path: '.GIT/config' }, 'E_ARGUMENTS_INVALID'],
    ['git_blame', { path: 'a.txt', firstLine: 3, lastLine: 2 }, 'E_ARGUMENTS_INVALID'],
    ['git_blame', { path: 'a.txt', firstLine: 99 }, 'E_GIT_FAILED'],
    ['git_branch', { action: 'create' }, 'E_ARGUMENTS_INVALID'],
    ['git_branch', { action: 'create', name: '-f' }, 'E_ARGUMENTS_INVALID'],
    ['git_branch', { action: 'create', name: 'a..b' }, 'E_ARGUMENTS_INVALID'],
    ['git_branch', { action: 'delete', name: 'main' }, 'E_GIT_FAILED'],
    ['git_add', { paths: ['--chmod=+x'] }, 'E_GIT_FAILED'],
    ['git_add', { paths: ['*'] }, 'E_GIT_FAILED'],
    ['git_add', { paths: ['.git/config'] }, 'E_ARGUMENTS_INVALID'],
    ['git_add', { paths: [] }, 'E_ARGUMENTS_INVALID'],
    ['git_commit', { message: '  \n ' }, 'E_ARGUMENTS_INVALID'],
    ['git_commit', { message: 'x'.repeat(70_000) }, 'E_ARGUMENTS_INVALID'],
    ['git_commit', { message: 'a\0b' }, 'E_ARGUMENTS_INVALID'],
    ['git_switch', { branch: '-' }, 'E_ARGUMENTS_INVALID'],
    ['git_switch', { branch: 'x', start: 'HEAD' }, 'E_ARGUMENTS_INVALID'],
    ['git_merge', {}, 'E_ARGUMENTS_INVALID'],
    ['git_rebase', { onto: '--exec=touch evil' }, 'E_ARGUMENTS_INVALID'],
    ['git_reset', { mode: 'hard', revision: '--pathspec-from-file=x' }, 'E_ARGUMENTS_INVALID'],
    ['git_fetch', { remote: '--upload-pack=touch evil' }, 'E_ARGUMENTS_INVALID'],
    ['git_fetch', { remote: 'https://example.com/x' }, 'E_ARGUMENTS_INVALID'],
    ['git_fetch', {}, 'E_GIT_REMOTE'],
    ['git_push', { branch: 'main', to: 'a:b' }, 'E_ARGUMENTS_INVALID'],
    ['git_push', { branch: '+main' }, 'E_GIT_REMOTE'],
    ['git_clone', { address: 'x', folder: 'y' }, 'E_GIT_PROTOCOL'],
    ['git_clone', { address: 'x', folder: '../outside' }, 'E_PATH_OUTSIDE'],
    ['git_clone', { address: 'x', folder: 'y', branch: '-b' }, 'E_ARGUMENTS_INVALID'],
    ['git_init', { folder: '../outside' }, 'E_PATH_OUTSIDE'],
    ['git_init', { branch: 'a..b' }, 'E_ARGUMENTS_INVALID'],
    ['git_restore', { paths: ['a.txt'], target: 'both', source: '-x' }, 'E_ARGUMENTS_INVALID'],
    ['git_stash', { action: 'push', paths: ['../a.txt'] }, 'E_PATH_OUTSIDE'],
    ['git_clean', { paths: ['../a.txt'] }, 'E_PATH_OUTSIDE'],
    ['git_commit', { message: 'x', repository: '../..' }, 'E_PATH_OUTSIDE'],
    ['git_clone', { address: 'https://user:secret@example.com/x', folder: 'x' }, 'E_ARGUMENTS_INVALID'],
    ['git_status', { repository: '../..' }, 'E_PATH_OUTSIDE'],
    ['git_status', { repository: 'missing' }, 'E_GIT_NO_REPOSITORY'],
    ['git_status', { repository: 'a.txt' }, 'E_GIT_NO_REPOSITORY'],
  ];
  for (const [name, args, code] of calls) {
    const { result, approvals } = await folder.call(name, { ...args });
    expect([name, args, result.error?.code, result.text.includes(folder.base)]).toEqual([name, args, code, false]);
    // People were not asked about a call that its arguments alone make impossible.
    if (code === 'E_ARGUMENTS_INVALID' || code === 'E_PATH_OUTSIDE')
      expect([name, args, approvals]).toEqual([name, args, []]);
  }
  expect(folder.git('for-each-ref')).toBe(before);
  expect(folder.exists('evil') || folder.exists('../evil')).toBe(false);
});

test('addresses of programs and local hosts with options are refused', () => {
  const refused = [
    'ext::sh -c touch% evil',
    'fd::17',
    'git://host/x',
    'http://host/x',
    'ftp://host/x',
    '-oProxyCommand=x',
    'ssh://-oProxyCommand=x/y',
    'user@-oProxyCommand=x:y',
    'host:-x',
    'ssh://host\n/x',
    'file://host/x',
    'https://',
    '',
    'x'.repeat(3_000),
    'transport::https://host/x',
    String.raw`https://github.com:443\@127.0.0.2:2/x`,
    String.raw`https://github.com\@evil/x`,
    'https://github.com?@evil/x',
    'https://github.com#@evil/x',
    'https://user@host/x',
    'https://0x7f.1/x',
    'https://2130706433/x',
    'https://host:99999/x',
    'https://h%6Fst/x',
    'ssh://github.com?@evil/x',
    'ssh://github.com#@evil/x',
    String.raw`ssh://github.com\@evil/x`,
    'ssh://a@github.com@evil/x',
    'ssh://git%40evil@host/x',
    'ssh://-l@host/x',
    'ssh://host:22:22/x',
    'file:///%',
    'file:///%ff',
    'file:///%00',
    'file:///a?/../b',
    String.raw`file:///a\..\b`,
    'file:///a/%2e%2e/b',
    'link/../x.git',
    '../link/..',
  ];
  for (const address of refused) expect(() => readAddress(address), address).toThrow(/cannot be used/);
  expect(readAddress('https://Example.com/a/b.git')).toEqual({
    protocol: 'https',
    host: 'example.com',
    path: '/a/b.git',
    url: 'https://example.com/a/b.git',
  });
  for (const url of ['ssh://git@host:22/~/x', 'ssh://[2001:db8:1:2:3:4:5:6]/x', 'https://host:8443/a@b?c'])
    expect(readAddress(url).url).toBe(url);
  expect(readAddress('git@example.com:a/b.git')).toEqual({
    protocol: 'ssh',
    host: 'example.com',
    path: 'a/b.git',
    url: 'git@example.com:a/b.git',
  });
  expect(readAddress('../x.git')).toEqual({ protocol: 'file', path: '../x.git' });
  // No text of these characters is read as a program or an option.
  const random = createSeededRandom(7);
  const alphabet = ['-', ':', '/', '@', 'a', 'ext', '::', '.', ' ', 'ssh', 'file', '\n', '%'];
  for (let round = 0; round < 5_000; round += 1) {
    const text = Array.from({ length: 1 + random.below(8) }, () => random.pick(alphabet)).join('');
    try {
      const { host = 'none', path } = readAddress(text);
      expect([host.startsWith('-'), text.includes('::'), path.startsWith('-')], text).toEqual([false, false, false]);
    } catch (error) {
      expect((error as Error).message).toContain('cannot be used');
    }
  }
});

test('hosts that are not configured are refused before any connection', async () => {
  await using folder = await createGitFolder({ hosts: ['example.com'] });
  expect(await folder.code('git_clone', { address: 'https://127.0.0.1/x', folder: 'x' })).toBe('E_GIT_HOST');
  folder.git('remote', 'add', 'origin', 'https://169.254.169.254/x');
  const { result } = await folder.call('git_fetch');
  expect(result.error?.code).toBe('E_GIT_HOST');
  for (const address of [String.raw`https://example.com:443\@127.0.0.2:2/x`, 'ssh://example.com?@evil/x']) {
    expect(await folder.code('git_clone', { address, folder: 'x' })).toBe('E_ARGUMENTS_INVALID');
    folder.git('remote', 'set-url', 'origin', address);
    expect(await folder.code('git_fetch')).toBe('E_ARGUMENTS_INVALID');
  }
  folder.git('remote', 'set-url', '--add', 'origin', 'https://example.com/other');
  expect(await folder.code('git_push', { branch: 'main' })).toBe('E_GIT_UNTRUSTED');
});

test('people are not asked about an address or a remote that cannot be used', async () => {
  await using folder = await createGitFolder({ hosts: ['example.com'] });
  folder.git('remote', 'add', 'other', 'https://169.254.169.254/x');
  const calls = [
    ['git_clone', { address: 'https://127.0.0.1/x', folder: 'x' }, 'E_GIT_HOST'],
    ['git_clone', { address: 'file:///etc', folder: 'x' }, 'E_GIT_PROTOCOL'],
    ['git_clone', { address: 'ext::sh -c id', folder: 'x' }, 'E_ARGUMENTS_INVALID'],
    ['git_fetch', { remote: 'none' }, 'E_GIT_REMOTE'],
    ['git_fetch', { remote: 'other' }, 'E_GIT_HOST'],
    ['git_push', { branch: 'main', remote: 'none' }, 'E_GIT_REMOTE'],
  ] as const;
  for (const [name, args, code] of calls) {
    const check = async (): Promise<void> => folder.tool(name).checkCall?.(args, folder.context());
    await expect(check(), name).rejects.toMatchObject({ code });
  }
  // An earlier call of the same response may make the repository.
  await folder.tool('git_fetch').checkCall?.({ repository: 'later' }, folder.context());
});

const privateAddresses = ['127.0.0.1', '10.0.0.1', '192.168.1.1', '[::1]', '[fd00::1]', 'localhost'];
const unreachable = ['169.254.169.254', '100.100.100.200', '[fe80::1]', '[::ffff:a9fe:a9fe]', '0.0.0.0'];

test('private addresses need an option, and metadata services are refused with it', async () => {
  await using closed = await createGitFolder();
  await using open = await createGitFolder({ allowPrivateAddresses: true });
  for (const host of [...privateAddresses, ...unreachable]) {
    for (const address of [`https://${host}/x`, `ssh://git@${host}/x`]) {
      expect([address, await closed.code('git_clone', { address, folder: 'x' })]).toEqual([address, 'E_GIT_HOST']);
      if (privateAddresses.includes(host)) continue;
      expect([address, await open.code('git_clone', { address, folder: 'x' })]).toEqual([address, 'E_GIT_HOST']);
    }
  }
  closed.git('remote', 'add', 'origin', 'https://127.0.0.1/x');
  expect(await closed.code('git_fetch')).toBe('E_GIT_HOST');
  expect(await closed.code('git_push', { branch: 'main' })).toBe('E_GIT_HOST');
  expect(await closed.code('git_clone', { address: 'https://no-such-host.invalid/x', folder: 'x' })).toBe('E_GIT_HOST');
});

test('git connects to the address that was checked, also if the name has another one later', async () => {
  const connections: string[] = [];
  const server = createServer((socket) => {
    connections.push(socket.localAddress ?? '');
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const address = readAddress(`https://rebound.example:${port}/x`);
  const options = { allowPrivateAddresses: true };
  const { settings } = await pinHost(options, address, async () => ['127.0.0.1']);
  const args = [...settings.flatMap(([key, value]) => ['-c', `${key}=${value}`]), 'ls-remote', address.url ?? ''];
  await expect(promisify(execFile)('git', args)).rejects.toThrow();
  expect(connections).toEqual(['127.0.0.1']);
  server.close();
  const refused = pinHost({}, address, async () => ['93.184.216.34', '127.0.0.1']);
  await expect(refused).rejects.toMatchObject({ code: 'E_GIT_HOST' });
  const lookup = async (): Promise<readonly string[]> => ['10.0.0.9'];
  const own = [{ HTTPS_PROXY: '' }, { HTTPS_PROXY: 'http://proxy.example', NO_PROXY: 'rebound.example' }];
  for (const environment of own)
    await expect(pinHost({ environment }, address, lookup)).rejects.toMatchObject({ code: 'E_GIT_HOST' });
  expect(await pinHost({ environment: { HTTPS_PROXY: 'http://proxy.example' } }, address, lookup)).toEqual({
    settings: [],
    sshOptions: [],
  });
  const { sshOptions } = await pinHost(options, readAddress('ssh://git@rebound.example:2222/x'), async () => [
    '10.0.0.9',
  ]);
  expect(sshOptions.join(' ')).toBe("-o HostName=10.0.0.9 -o 'HostKeyAlias=[rebound.example]:2222' -o CheckHostIP=no");
});

test('ssh uses no configuration and keys of the user of the server', async () => {
  await using programs = await createGitFolder();
  programs.write('ssh', `#!/bin/sh\necho "$@" > '${join(programs.root, 'seen')}'\nexit 1\n`);
  chmodSync(join(programs.root, 'ssh'), 0o755);
  const path = { PATH: `${programs.root}:${process.env['PATH'] ?? ''}` };
  const seen = async (environment: Readonly<Record<string, string>>): Promise<string> => {
    await using folder = await createGitFolder({
      environment: { ...path, ...environment },
      allowPrivateAddresses: true,
    });
    folder.git('remote', 'add', 'origin', 'git@localhost:x');
    expect(await folder.code('git_fetch')).toBe('E_GIT_FAILED');
    return programs.read('seen');
  };
  const alone = '-F /dev/null -o BatchMode=yes -o IdentityFile=none';
  const pinned = await seen({});
  expect(pinned).toContain(`${alone} -o IdentitiesOnly=yes`);
  expect(pinned).toMatch(/ -o HostName=(?:127\.0\.0\.1|::1) -o HostKeyAlias=localhost -o CheckHostIP=no /);
  const withAgent = await seen({ SSH_AUTH_SOCK: '/run/agent' });
  expect([withAgent.includes(alone), withAgent.includes('IdentitiesOnly')]).toEqual([true, false]);
  expect(await seen({ GIT_SSH_COMMAND: 'ssh -i key' })).toMatch(/^-i key /);
});

test('a password in the address of a remote is not shown', async () => {
  await using folder = await createGitFolder({ environment: { HTTPS_PROXY: 'http://127.0.0.1:1' } });
  folder.git('remote', 'add', 'origin', 'https://user:hunter2@localhost/x');
  const { result } = await folder.call('git_fetch');
  expect(result.status).toBe('error');
  expect(result.text).not.toContain('hunter2');
});

test('a call that is cancelled ends its git, and the repository stays usable', async () => {
  await using folder = await createGitFolder({ hooks: true });
  // A hook that waits until it is ended.
  writeFileSync(join(folder.root, '.git/hooks/pre-commit'), '#!/bin/sh\ntouch started\nexec sleep 600\n');
  chmodSync(join(folder.root, '.git/hooks/pre-commit'), 0o755);
  folder.write('a.txt', 'x');
  const controller = new AbortController();
  const context = createToolContext({ cwd: folder.root, signal: controller.signal });
  const running = Promise.resolve(folder.tool('git_commit').execute({ message: 'x', paths: ['a.txt'] }, context));
  const watcher = watch(folder.root, () => {
    if (folder.exists('started')) controller.abort();
  });
  await expect(running).rejects.toMatchObject({ code: 'E_CANCELLED' });
  watcher.close();
  expect(folder.git('log', '--format=%s').trim()).toBe('First');
  // git removed its lock when it was asked to end.
  expect(folder.exists('.git/index.lock')).toBe(false);
  const late = createToolContext({ cwd: folder.root, signal: AbortSignal.abort() });
  await expect(folder.tool('git_status').execute({}, late)).rejects.toMatchObject({ code: 'E_CANCELLED' });
});

test('a damaged repository is an error without paths of the host', async () => {
  await using folder = await createGitFolder();
  writeFileSync(join(folder.root, '.git/HEAD'), 'not a ref\0\n');
  const { result } = await folder.call('git_log');
  expect(result.status).toBe('error');
  expect(result.text).not.toContain(folder.base);
  writeFileSync(join(folder.root, '.git/config'), '[core\nbroken');
  expect(await folder.code('git_status')).toBe('E_GIT_FAILED');
});
