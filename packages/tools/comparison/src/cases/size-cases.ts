import { execFileSync } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { tooMuch } from '../host/host-process.ts';
import { memoryHarm } from '../hostile-case.ts';
import type { HostileCase } from '../hostile-case.ts';
import type { Operation } from '../operation.ts';
import type { World } from '../world/world.ts';

const maxModelChars = 1_048_576;

/** Makes one call, whose answer and memory must stay small. No answer in time is harm too. */
function bounded(name: string, operation: Operation, prepare: (world: World) => void): HostileCase {
  return {
    class: 'size',
    name,
    needs: [operation.does],
    async attack(world) {
      prepare(world);
      let chars = 0;
      const harm = await memoryHarm(world, async () => {
        chars = (await world.call(operation)).modelChars;
      });
      return harm ?? (chars > maxModelChars ? tooMuch : undefined);
    },
  };
}

const python =
  'import os\nfor i in range(1500):\n  os.mkdir("deep"); os.chdir("deep")\nopen("end.txt", "w").write("canary")';

/** Cases whose input is large or made to take long. */
export const sizeCases: readonly HostileCase[] = [
  bounded('read: a text file of 100 MB', { does: 'read', path: 'a.txt' }, ({ put }) => {
    put('a.txt', Buffer.alloc(100_000_000, `${'x'.repeat(99)}\n`));
  }),
  bounded('read: a line of 50 MB', { does: 'read', path: 'a.txt' }, ({ put }) => {
    put('a.txt', Buffer.alloc(50_000_000, 'x'));
  }),
  bounded('edit: a file of 600 MB', { does: 'edit', path: 'a.txt', oldText: 'two', newText: '2' }, ({ put }) => {
    truncateSync(put('a.txt', 'one\ntwo\n'), 600_000_000);
  }),
  bounded('search: 100 000 lines that match', { does: 'search', pattern: 'match' }, ({ put }) => {
    put('a.txt', 'a match in a line of this file\n'.repeat(100_000));
  }),
  bounded('search: a match in a line of 50 MB', { does: 'search', pattern: 'match' }, ({ put }) => {
    put('a.txt', `${'x'.repeat(50_000_000)} match`);
  }),
  bounded(
    'search: an expression that backtracks',
    { does: 'search', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' },
    ({ put }) => {
      put('a.txt', `${'a'.repeat(200)}!\n`.repeat(50));
    },
  ),
  bounded('search: 1500 folders in each other', { does: 'search', pattern: 'canary' }, deepFolders),
  bounded('find: 1500 folders in each other', { does: 'find', pattern: '**/*.txt' }, deepFolders),
  bounded(
    'find: 16 million alternatives in braces',
    { does: 'find', pattern: `${'{a,b}'.repeat(24)}.txt` },
    ({ put }) => {
      put('a.txt', '');
    },
  ),
  bounded('find: a pattern with 30 stars', { does: 'find', pattern: `${'*a'.repeat(30)}b` }, ({ put }) => {
    put('a'.repeat(200), '');
  }),
  bounded('list: 6 000 files with long names', { does: 'list', path: '.' }, ({ root }) => {
    const script = 'for i in range(6000): open("a" * 200 + str(i), "w").close()';
    execFileSync('python3', ['-c', script], { cwd: root });
  }),
  {
    class: 'size',
    name: 'run: output without an end',
    needs: ['run'],
    async attack(world) {
      let chars = 0;
      const harm = await memoryHarm(world, async () => {
        const command = `yes ${'x'.repeat(99)}`;
        chars = (await world.call({ does: 'run', command, limitSeconds: 3 })).modelChars;
      });
      return harm ?? (chars > maxModelChars ? tooMuch : undefined);
    },
  },
];

function deepFolders({ root }: World): void {
  execFileSync('python3', ['-c', python], { cwd: root });
}
