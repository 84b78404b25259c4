import fc from 'fast-check';
import type { JsonObject, KernelError } from '@ravi/kernel';
import { expect, test } from 'vitest';
import { openFiles } from './support/open-files.ts';

/** Content of the file; `undefined` if there is none. */
type Text = string | undefined;

/** Call, and what it does to the file on its own. It throws where the call fails. */
interface Step {
  readonly tool: string;
  readonly args: JsonObject;
  readonly apply: (text: Text) => Text;
}

const path = 'a.json';
const letters = ['a', 'b', 'c'] as const;
const letter = fc.constantFrom(...letters);

function present(text: Text): string {
  if (text === undefined) throw new Error('no file');
  return text;
}

function replaceOnce(text: string, oldText: string, newText: string): string {
  const parts = text.split(oldText);
  if (parts.length !== 2) throw new Error('not once');
  return parts.join(newText);
}

/** Steps of each tool. The file is a list of one JSON text per line, so that every tool can work on it. */
const steps: Readonly<Record<string, fc.Arbitrary<Step>>> = {
  write: letter.map((to) => ({ tool: 'write', args: { path, content: `["${to}"]` }, apply: () => `["${to}"]` })),
  append: letter.map((to) => ({
    tool: 'append',
    args: { path, content: ` "${to}"` },
    apply: (text) => (text ?? '') + ` "${to}"`,
  })),
  edit: fc.tuple(letter, letter).map(([from, to]) => ({
    tool: 'edit',
    args: { path, oldText: `"${from}"`, newText: `"${to}", "x"` },
    apply: (text) => replaceOnce(present(text), `"${from}"`, `"${to}", "x"`),
  })),
  multi_edit: fc.tuple(letter, letter).map(([from, to]) => ({
    tool: 'multi_edit',
    args: {
      path,
      edits: [
        { oldText: `"${from}"`, newText: '"y"' },
        { oldText: '"y"', newText: `"${to}"` },
      ],
    },
    apply: (text) => replaceOnce(replaceOnce(present(text), `"${from}"`, '"y"'), '"y"', `"${to}"`),
  })),
  delete: fc.constant({ tool: 'delete', args: { path }, apply: (text: Text) => (present(text), undefined) }),
  json_write: fc.tuple(fc.nat(1), letter).map(([index, to]) => ({
    tool: 'json_write',
    args: { path, pointer: `/${index}`, value: to },
    apply(text) {
      const list = JSON.parse(present(text)) as unknown[];
      if (index >= list.length) {
        if (index > list.length) throw new Error('no entry');
        return list.length === 0 ? `["${to}"]` : `${present(text).slice(0, -1)}, "${to}"]`;
      }
      // Entries are texts without brackets and commas.
      const parts = present(text).slice(1, -1).split(', ');
      parts[index] = `"${to}"`;
      return `[${parts.join(', ')}]`;
    },
  })),
  diff_apply: fc.tuple(letter, letter).map(([from, to]) => ({
    tool: 'diff_apply',
    args: {
      patch: `--- ${path}\n+++ ${path}\n@@ -1,1 +1,1 @@\n-["${from}"]\n\\ No newline at end of file\n+["${to}"]\n\\ No newline at end of file\n`,
    },
    apply(text) {
      if (present(text) !== `["${from}"]`) throw new Error('does not match');
      return `["${to}"]`;
    },
  })),
};

function permutations<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

/** Result of steps: the content, and for each whether it succeeded. */
interface Outcome {
  readonly text: Text;
  readonly succeeded: readonly boolean[];
}

function serially(start: string, order: readonly number[], all: readonly Step[]): Outcome {
  const succeeded = all.map(() => false);
  let text: Text = start;
  for (const index of order) {
    try {
      text = (all[index] as Step).apply(text);
      succeeded[index] = true;
    } catch {
      // As the call: nothing changes.
    }
  }
  return { text, succeeded };
}

test.each(Object.keys(steps))(
  'any parallel calls of %s and other tools have the effect of some order',
  async (tool) => {
    const any = fc.oneof(...Object.values(steps));
    const several = fc.tuple(steps[tool] as fc.Arbitrary<Step>, fc.array(any, { minLength: 1, maxLength: 3 }));
    await fc.assert(
      fc.asyncProperty(
        several,
        fc.constantFrom('["a"]', '["a", "b"]', '["a", "b", "c"]'),
        async ([first, rest], start) => {
          using files = await openFiles();
          files.put(path, start);
          await files.call('read', { path });
          const all = [first, ...rest];
          const results = await Promise.allSettled(all.map((step) => files.run(step.tool, step.args)));
          const text = files.names().includes(path) ? files.text(path) : undefined;
          const actual: Outcome = { text, succeeded: results.map(({ status }) => status === 'fulfilled') };
          const orders = permutations(all.map((_, index) => index));
          const possible = orders.map((order) => serially(start, order, all));
          expect(possible).toContainEqual(actual);
          for (const result of results) {
            if (result.status === 'rejected') expect((result.reason as KernelError).code).toMatch(/^E_FILE_/u);
          }
          // No staged file is left.
          expect(files.names().filter((name) => name !== path)).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  },
);

test('patches of the same two files in either order do not wait for each other forever', async () => {
  using files = await openFiles();
  for (const name of ['a.txt', 'b.txt']) {
    files.put(name, '0\n');
    await files.call('read', { path: name });
  }
  const part = (name: string, to: string): string => `--- ${name}\n+++ ${name}\n@@ -1,1 +1,1 @@\n-0\n+${to}\n`;
  const results = await Promise.allSettled([
    files.call('diff_apply', { patch: part('a.txt', '1') + part('b.txt', '1') }),
    files.call('diff_apply', { patch: part('b.txt', '2') + part('a.txt', '2') }),
  ]);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(files.text('a.txt')).toBe(files.text('b.txt'));
});
