/** Maximum number of suggestions in a message. */
const maxSuggestions = 3;

/**
 * Returns the names that a mistyped `name` most likely means, best first, at most three: names that differ only in case
 * or separators, that contain it, or whose edit distance is at most a third of its length.
 * Distance: Damerau's optimal string alignment.
 */
export function nearNames(name: string, candidates: Iterable<string>): readonly string[] {
  const wanted = normalise(name);
  if (wanted === '') return [];
  const tolerance = Math.max(1, Math.floor(wanted.length / 3));
  const found: { readonly name: string; readonly distance: number }[] = [];
  for (const candidate of candidates) {
    const other = normalise(candidate);
    const distance = distanceOf(wanted, other, tolerance);
    if (distance <= tolerance) found.push({ name: candidate, distance });
  }
  found.sort((left, right) => left.distance - right.distance || (left.name < right.name ? -1 : 1));
  return found.slice(0, maxSuggestions).map((entry) => entry.name);
}

function normalise(name: string): string {
  return name
    .slice(0, 128)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
}

function distanceOf(left: string, right: string, limit: number): number {
  if (left === right) return 0;
  if (left.length >= 4 && right.includes(left)) return 1;
  if (right.length >= 4 && left.includes(right)) return 1;
  if (Math.abs(left.length - right.length) > limit) return Infinity;
  return alignmentDistance(left, right);
}

function alignmentDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let best = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) best = Math.min(best, at(beforePrevious, column - 2) + 1);
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, right.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
