import { show } from '@ravi/tools-kit';
import { applyPatch } from 'diff';
import { patchError } from './read-patch.ts';
import type { FilePatch } from './read-patch.ts';

const maxComparisons = 20_000_000;

/**
 * Applies the hunks of a patch to a text. Each hunk may have moved; up to `fuzz` of its context lines may differ.
 * @param path path of the file for messages
 * @throws KernelError `E_FILE_PATCH` if a hunk does not match, or the search for its place takes too much work
 */
export function applyHunks(text: string, { hunks }: FilePatch, fuzz: number, path: string): string {
  let comparisons = 0;
  const result = applyPatch(text, hunks, {
    fuzzFactor: fuzz,
    compareLine(_number, line, _operation, wanted) {
      comparisons += 1;
      // A text of equal lines makes the search quadratic.
      if (comparisons > maxComparisons)
        throw patchError(`The search for the hunks in ${show(path)} takes too long. Use edit`);
      return line === wanted;
    },
  });
  if (result !== false) return result;
  const places = hunks.hunks.map(({ oldStart }) => oldStart).slice(0, 10);
  const advice = 'Read the file, and make the patch against its text of now';
  throw patchError(
    `The patch does not match ${show(path)}; its hunks are for the lines ${places.join(', ')}. ${advice}`,
  );
}
