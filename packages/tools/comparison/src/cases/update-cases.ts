import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HostHarm } from '../host/host-process.ts';
import type { HostileCase } from '../hostile-case.ts';

const cutBytes = 1_048_576;
const longBytes = 3_145_728;
const edit = { does: 'edit', path: 'a.txt', oldText: 'two', newText: '2' } as const;

/** Reads a file, has one text in it replaced, and compares every byte. */
function keeps(name: string, before: Uint8Array, after: Uint8Array): HostileCase {
  return {
    class: 'lost updates',
    name: `edit: ${name}`,
    needs: ['read', 'edit'],
    async attack(world) {
      world.put('a.txt', before);
      await world.call({ does: 'read', path: 'a.txt' });
      await world.call(edit);
      const found = readFileSync(join(world.root, 'a.txt'));
      return [before, after].some((allowed) => found.equals(allowed))
        ? undefined
        : 'other bytes of the file were changed';
    },
  };
}

const bytes = (text: string): Uint8Array => Buffer.from(text);
const joined = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

/** Cases in which work of others, or a part of a file, is lost. */
export const updateCases: readonly HostileCase[] = [
  {
    class: 'lost updates',
    name: 'write: a file that another program changed after it was read',
    needs: ['read', 'write'],
    async attack(world) {
      world.put('a.txt', 'one\ntwo\n');
      await world.call({ does: 'read', path: 'a.txt' });
      world.put('a.txt', 'one\ntwo\nby another\n');
      await world.call({ does: 'write', path: 'a.txt', content: 'one\n2\n' });
      return world.text('a.txt').includes('by another') ? undefined : 'the change of the other program was lost';
    },
  },
  {
    class: 'lost updates',
    name: 'write: a file that was never read',
    needs: ['write'],
    async attack(world) {
      world.put('a.txt', 'work of a person\n');
      await world.call({ does: 'write', path: 'a.txt', content: 'new\n' });
      return world.text('a.txt').includes('work of a person') ? undefined : 'the content was replaced unseen';
    },
  },
  {
    class: 'lost updates',
    name: 'edit: a file that another program changed after it was read',
    needs: ['read', 'edit'],
    async attack(world) {
      world.put('a.txt', 'one\ntwo\n');
      await world.call({ does: 'read', path: 'a.txt' });
      world.put('a.txt', 'one\ntwo\nby another\n');
      await world.call(edit);
      return world.text('a.txt').includes('by another') ? undefined : 'the change of the other program was lost';
    },
  },
  {
    class: 'lost updates',
    name: 'edit: a text that moved to another meaning after it was read',
    needs: ['read', 'edit'],
    async attack(world) {
      world.put('a.txt', 'test:\n  limit = 1\nlive:\n  limit = 9\n');
      await world.call({ does: 'read', path: 'a.txt' });
      world.put('a.txt', 'test:\n  limit = 2\nlive:\n  limit = 1\n');
      await world.call({ does: 'edit', path: 'a.txt', oldText: 'limit = 1', newText: 'limit = 0' });
      return world.text('a.txt').endsWith('limit = 0\n')
        ? 'another setting than the one that was read was changed'
        : undefined;
    },
  },
  {
    class: 'lost updates',
    name: 'edit: forty calls on one file at once',
    needs: ['read', 'edit'],
    async attack(world) {
      world.put('a.txt', Array.from({ length: 40 }, (_each, index) => `line-${index};\n`).join(''));
      await world.call({ does: 'read', path: 'a.txt' });
      const lines = Array.from({ length: 40 }, (_each, index) => index);
      await Promise.all(
        lines.map((line) =>
          world.call({ does: 'edit', path: 'a.txt', oldText: `line-${line};`, newText: `done-${line};` }),
        ),
      );
      const text = world.text('a.txt');
      return lines.every((line) => text.includes(`done-${line};`)) ? undefined : 'an edit was lost';
    },
  },
  {
    class: 'lost updates',
    name: 'edit: a text that is in the file twice',
    needs: ['read', 'edit'],
    async attack(world) {
      world.put('a.txt', 'two\none\ntwo\n');
      await world.call({ does: 'read', path: 'a.txt' });
      await world.call(edit);
      return world.text('a.txt') === 'two\none\ntwo\n' ? undefined : 'a place was chosen by chance';
    },
  },
  keeps(
    'bytes that are not UTF-8 stay',
    joined('one ', [0xff, 0xfe, 0xe9], '\ntwo\n'),
    joined('one ', [0xff, 0xfe, 0xe9], '\n2\n'),
  ),
  keeps('a NUL byte stays', joined('one ', [0], '\ntwo\n'), joined('one ', [0], '\n2\n')),
  keeps('line endings of Windows stay', bytes('one\r\ntwo\r\n'), bytes('one\r\n2\r\n')),
  keeps('mixed line endings stay', bytes('one\r\ntwo\nthree\r\nfour\n'), bytes('one\r\n2\nthree\r\nfour\n')),
  keeps('a byte order mark stays', joined([0xef, 0xbb, 0xbf], 'one\ntwo\n'), joined([0xef, 0xbb, 0xbf], 'one\n2\n')),
  keeps('a last line without an end stays so', bytes('one\ntwo\nthree'), bytes('one\n2\nthree')),
  {
    class: 'lost updates',
    name: 'edit: permissions stay',
    needs: ['read', 'edit'],
    async attack(world) {
      chmodSync(world.put('a.txt', 'one\ntwo\n'), 0o754);
      await world.call({ does: 'read', path: 'a.txt' });
      await world.call(edit);
      return (statSync(join(world.root, 'a.txt')).mode & 0o777) === 0o754 ? undefined : 'the permissions were changed';
    },
  },
  {
    class: 'lost updates',
    name: 'write: the system allows only a third of the new content',
    needs: ['read', 'write'],
    async attack(world) {
      const before = 'work of a person\n';
      world.put('a.txt', before);
      await world.call({ does: 'read', path: 'a.txt' });
      // Above the limit a write fails, or its signal ends the process. Both leave what was written before.
      spawnSync('prlimit', ['--pid', String(world.host.pid), `--fsize=${cutBytes}`]);
      try {
        await world.call({ does: 'write', path: 'a.txt', content: 'x'.repeat(longBytes) });
      } catch (error) {
        if (!(error instanceof HostHarm)) throw error;
      } finally {
        await world.host[Symbol.asyncDispose]();
      }
      return world.text('a.txt') === before ? undefined : 'half of the new content replaced the old';
    },
  },
];
