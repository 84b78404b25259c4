import fc from 'fast-check';
import type { JsonObject, KernelError } from '@ravi/kernel';
import { expect, test } from 'vitest';
import { openFiles } from './support/open-files.ts';
import type { OpenFiles } from './support/open-files.ts';

/** Content of the file; `undefined` if there is none. */
type Text = string | undefined;

/** The file, and what it was before each change that can be undone, oldest first. */
interface State {
  readonly text: Text;
  readonly before: readonly Text[];
}

/** Call, and what it does to the file on its own. It throws where the call fails. */
interface Step {
  readonly tool: string;
  readonly args: JsonObject;
  readonly apply: (state: State) => State;
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

/** Makes the step of a change, which is put on record unless the file stays as it is. */
function change(tool: string, args: JsonObject, next: (text: Text) => Text): Step {
  const apply = ({ text, before }: State): State => {
    const after = next(text);
    return { text: after, before: after === text ? before : [...before, text] };
  };
  return { tool, args, apply };
}

function undone({ before }: State): State {
  if (before.length === 0) throw new Error('nothing to undo');
  return { text: before.at(-1), before: before.slice(0, -1) };
}

/** Steps of each tool. The file is a list of one JSON text per line, so that every tool can work on it. */
const steps: Readonly<Record<string, fc.Arbitrary<Step>>> = {
  write: letter.map((to) => change('write', { path, content: `["${to}"]` }, () => `["${to}"]`)),
  append: letter.map((to) => change('append', { path, content: ` "${to}"` }, (text) => `${text ?? ''} "${to}"`)),
  edit: fc
    .tuple(letter, letter)
    .map(([from, to]) =>
      change('edit', { path, oldText: `"${from}"`, newText: `"${to}", "x"` }, (text) =>
        replaceOnce(present(text), `"${from}"`, `"${to}", "x"`),
      ),
    ),
  multi_edit: fc.tuple(letter, letter).map(([from, to]) => {
    const edits = [
      { oldText: `"${from}"`, newText: '"y"' },
      { oldText: '"y"', newText: `"${to}"` },
    ];
    return change('multi_edit', { path, edits }, (text) =>
      replaceOnce(replaceOnce(present(text), `"${from}"`, '"y"'), '"y"', `"${to}"`),
    );
  }),
  delete: fc.constant(change('delete', { path }, (text) => (present(text), undefined))),
  json_write: fc.tuple(fc.nat(1), letter).map(([index, to]) =>
    change('json_write', { path, pointer: `/${index}`, value: to }, (text) => {
      const list = JSON.parse(present(text)) as unknown[];
      if (index >= list.length) {
        if (index > list.length) throw new Error('no entry');
        return list.length === 0 ? `["${to}"]` : `${present(text).slice(0, -1)}, "${to}"]`;
      }
      // Entries are texts without brackets and commas.
      const parts = present(text).slice(1, -1).split(', ');
      parts[index] = `"${to}"`;
      return `[${parts.join(', ')}]`;
    }),
  ),
  // A patch without a change is on record too, so the model has none.
  diff_apply: fc
    .tuple(letter, letter)
    .filter(([from, to]) => from !== to)
    .map(([from, to]) => {
      const end = '\\ No newline at end of file\n';
      const patch = `--- ${path}\n+++ ${path}\n@@ -1,1 +1,1 @@\n-["${from}"]\n${end}+["${to}"]\n${end}`;
      return change('diff_apply', { patch }, (text) => {
        if (present(text) !== `["${from}"]`) throw new Error('does not match');
        return `["${to}"]`;
      });
    }),
  undo: fc.constant({ tool: 'undo', args: {}, apply: undone }),
};

function permutations<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

/** Result of steps: the content, for each whether it succeeded, and the contents that further calls of undo lead back to. */
interface Outcome extends State {
  readonly succeeded: readonly boolean[];
}

function serially(start: State, order: readonly number[], all: readonly Step[]): Outcome {
  const succeeded = all.map(() => false);
  let state = start;
  for (const index of order) {
    try {
      state = (all[index] as Step).apply(state);
      succeeded[index] = true;
    } catch {
      // As the call: nothing changes.
    }
  }
  return { ...state, succeeded };
}

/** Takes back all changes on record, and returns the contents before them, oldest first. */
async function undoAll(files: OpenFiles): Promise<readonly Text[]> {
  const before: Text[] = [];
  for (;;) {
    const [result] = await Promise.allSettled([files.run('undo', {})]);
    if (result.status === 'rejected') {
      expect((result.reason as KernelError).code).toBe('E_FILE_NO_UNDO');
      return before;
    }
    before.unshift(textIn(files));
  }
}

function textIn(files: OpenFiles): Text {
  return files.names().includes(path) ? files.text(path) : undefined;
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
          files.put(path, '["z"]');
          await files.call('read', { path });
          await files.call('write', { path, content: start });
          const all = [first, ...rest];
          const results = await Promise.allSettled(all.map((step) => files.run(step.tool, step.args)));
          const succeeded = results.map(({ status }) => status === 'fulfilled');
          const text = textIn(files);
          // No staged file is left.
          expect(files.names().filter((name) => name !== path)).toEqual([]);
          const actual: Outcome = { text, before: await undoAll(files), succeeded };
          const orders = permutations(all.map((_, index) => index));
          const possible = orders.map((order) => serially({ text: start, before: ['["z"]'] }, order, all));
          expect(possible).toContainEqual(actual);
          for (const result of results) {
            if (result.status === 'rejected') expect((result.reason as KernelError).code).toMatch(/^E_FILE_/u);
          }
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
