import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { sampleOfDay } from '@ravi/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { caseClasses, cases, contenders, measureAll, pageOf } from '../src/index.ts';
import type { HostileCase, MeasuredCase, Operation, World } from '../src/index.ts';

const page = join(import.meta.dirname, '../../../../docs/tools-compared.md');
const measureMs = 900_000;

const tried = sampleOfDay(cases, 6);

/** Harmless use of each kind of call. Without its effect, a case that holds would prove nothing. */
function control(
  operation: Operation,
  prepare: (world: World) => void,
  works: (world: World, text: string) => boolean,
) {
  const attack: HostileCase['attack'] = async (world) => {
    prepare(world);
    const { text } = await world.call(operation);
    return works(world, text) ? undefined : `${operation.does} has no effect: ${text.slice(0, 1_000)}`;
  };
  return { class: 'paths', name: operation.does, needs: [operation.does], attack } satisfies HostileCase;
}

const repository = (world: World): void => {
  world.git('init', '--quiet', '--initial-branch=main');
  world.put('a.txt', 'one\n');
  world.git('add', '.');
  world.git('commit', '--quiet', '-m', 'First');
  world.put('a.txt', 'two\n');
};
const put = (world: World): void => void world.put('sub/a.txt', 'one\ntwo\n');
const nothing = (): void => {};

const controls: readonly HostileCase[] = [
  control({ does: 'read', path: 'sub/a.txt' }, put, (_world, text) => text.includes('two')),
  control({ does: 'write', path: 'new.txt', content: 'new' }, nothing, (world) => world.text('new.txt') === 'new'),
  control({ does: 'list', path: 'sub' }, put, (_world, text) => text.includes('a.txt')),
  control({ does: 'search', pattern: 'two' }, put, (_world, text) => text.includes('a.txt')),
  control({ does: 'find', pattern: '**/*.txt' }, put, (_world, text) => text.includes('a.txt')),
  control({ does: 'run', command: 'printf six%d 7' }, nothing, (_world, text) => text.includes('six7')),
  control({ does: 'fetch', url: 'http://public.canary.example/page' }, nothing, (_world, text) =>
    text.includes('A page of the canary server'),
  ),
  control({ does: 'status' }, repository, (_world, text) => text.includes('a.txt')),
  control({ does: 'diff' }, repository, (_world, text) => text.includes('two')),
  control({ does: 'stage', path: 'a.txt' }, repository, (_world, text) => text.includes('a.txt')),
  {
    class: 'paths',
    name: 'edit',
    needs: ['read', 'edit'],
    async attack(world) {
      put(world);
      await world.call({ does: 'read', path: 'sub/a.txt' });
      await world.call({ does: 'edit', path: 'sub/a.txt', oldText: 'two', newText: '2' });
      return world.text('sub/a.txt') === 'one\n2\n' ? undefined : 'edit has no effect';
    },
  },
  {
    class: 'paths',
    name: 'write over a file that was read',
    needs: ['read', 'write'],
    async attack(world) {
      put(world);
      await world.call({ does: 'read', path: 'sub/a.txt' });
      await world.call({ does: 'write', path: 'sub/a.txt', content: 'new' });
      return world.text('sub/a.txt') === 'new' ? undefined : 'write has no effect';
    },
  },
  {
    class: 'paths',
    name: 'commit',
    needs: ['stage', 'commit'],
    async attack(world) {
      repository(world);
      await world.call({ does: 'stage', path: 'a.txt' });
      const { text } = await world.call({ does: 'commit', message: 'Second' });
      return text.includes('Second') ? undefined : `commit has no effect: ${text}`;
    },
  },
];

const outcomesOf = (rows: readonly MeasuredCase[], id: 'ravi' | 'pi' | 'gemini') =>
  rows.map(({ hostileCase: { name }, byContender: { [id]: cell } }) => ({ name, ...cell }));

// The oracles read /proc.
describe.runIf(process.platform === 'linux')('controls', () => {
  test('harmless calls work, and the oracle sees harm', { timeout: measureMs }, async () => {
    const seesHarm: HostileCase = {
      class: 'paths',
      name: 'harm',
      needs: ['read'],
      async attack(world) {
        writeFileSync(world.victim, 'changed');
        return world.changeOutside();
      },
    };
    const measured = await measureAll([...controls, seesHarm]);
    for (const { id, notOffered } of contenders) {
      for (const { hostileCase, byContender } of measured) {
        const isOffered = hostileCase.needs.every((kind) => notOffered[kind] === undefined);
        const expected = hostileCase === seesHarm ? 'harmed' : isOffered ? 'held' : 'not offered';
        assert.equal(byContender[id].outcome, expected, `${id}: ${byContender[id].reason}`);
      }
    }
  });
});

describe.runIf(process.platform === 'linux')('hostile calls', () => {
  let rows: readonly MeasuredCase[] = [];
  beforeAll(async () => {
    rows = await measureAll(tried);
  }, measureMs);

  test('there are at least fifty cases, with names of their own, in every class', () => {
    expect(cases.length).toBeGreaterThanOrEqual(50);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    expect(new Set(cases.map((each) => each.class))).toEqual(new Set(caseClasses));
  });

  test.each(contenders)('$name: every case was carried out', ({ id }) => {
    expect(outcomesOf(rows, id).filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  });

  test('no case harms with Ravi unless a person approves it', () => {
    expect(outcomesOf(rows, 'ravi').filter(({ outcome }) => outcome !== 'held' && outcome !== 'asked')).toEqual([]);
  });

  test('docs/tools-compared.md has what was measured', () => {
    const { dependencies } = createRequire(import.meta.url)('../package.json') as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const versions = Object.entries(dependencies).filter(([, version]) => /^\d/.test(version));
    const text = pageOf(rows, Object.fromEntries(versions));
    if (process.env['RAVI_WRITE_TOOLS_COMPARED'] === '1' && tried.length === cases.length) writeFileSync(page, text);
    const [written, measured] = [normal(readFileSync(page, 'utf8')), normal(text)];
    const unsteady = unsteadyCases(`${written}\n${measured}`);
    const shown = (all: string): string => rowsOfTried(withoutPeers(all, unsteady));
    expect(shown(written)).toBe(shown(measured));
  });
});

// The sums and the head of the page are those of all cases.
function rowsOfTried(text: string): string {
  if (tried.length === cases.length) return text;
  const names = new Set(tried.map(({ name }) => name));
  return text
    .split('\n')
    .filter((row) => names.has(nameOf(row).replace(/^\| /, '').trim()))
    .join('\n');
}

const nameOf = (row: string): string => row.split(' | ', 1)[0] ?? '';

/** Returns the cases whose cells of peers depend on the speed of the machine: on a race, or on how long a call took. */
function unsteadyCases(rows: string): ReadonlySet<string> {
  const isUnsteady = (row: string): boolean => /it took too much time|swapped for a link/.test(row);
  return new Set(rows.split('\n').filter(isUnsteady).map(nameOf));
}

/** Leaves out the sums of the peers, and their cells of some cases. */
function withoutPeers(text: string, unsteady: ReadonlySet<string>): string {
  const rows = text.split('\n').filter((row) => !/^\| (?:Pi|Gemini CLI) \|/.test(row));
  return rows.map((row) => (unsteady.has(nameOf(row)) ? row.split(' | ').slice(0, 2).join(' | ') : row)).join('\n');
}

// The formatter aligns tables.
function normal(text: string): string {
  return text.replaceAll(/ {2,}/g, ' ').replaceAll(/-{3,}/g, '---').trim();
}
