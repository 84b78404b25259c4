import type { Members } from './check.ts';
import type { Run } from './run.ts';

/** Units of work that an item of a list with `uniqueItems` takes. */
const itemUnits = 3;
/** Characters of a text that are hashed, from its end, where texts that are made by counting differ. */
const hashedCharacters = 32;

/** True if two JSON values are equal: members in any order, `1` and `1.0` alike. */
export function jsonEqual(left: unknown, right: unknown, run: Run): boolean {
  run.charge(1);
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length !== right.length) return false;
    run.chargeText(left.length);
    return left === right;
  }
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => jsonEqual(item, right[index], run));
  }
  const keys = Object.keys(left);
  const others = run.keysOf(right);
  run.charge(keys.length);
  if (others.length !== keys.length) return false;
  return keys.every(
    (key) => Object.hasOwn(right, key) && jsonEqual((left as Members)[key], (right as Members)[key], run),
  );
}

/** True if no two items of a list are equal. */
export function areUnique(list: readonly unknown[], run: Run): boolean {
  if (list.length < 2) return true;
  run.charge(list.length * itemUnits);
  const plain = new Set<unknown>();
  const nested = new Map<number, unknown[]>();
  for (const item of list) {
    if (typeof item === 'object' && item !== null) {
      const hash = hashOf(item, run);
      const alike = nested.get(hash);
      if (alike === undefined) nested.set(hash, [item]);
      else if (alike.some((each) => jsonEqual(each, item, run))) return false;
      else alike.push(item);
    } else {
      if (typeof item === 'string') run.chargeText(item.length);
      if (plain.has(item)) return false;
      plain.add(item);
    }
  }
  return true;
}

/** Returns a number that is equal for equal values. Values with equal numbers are compared, which counts as work. */
function hashOf(value: unknown, run: Run): number {
  run.charge(1);
  if (typeof value === 'string') return hashOfText(value);
  if (typeof value === 'number') return Math.imul(value % 0x7f_ff_ff_ff, 0x9e_37_79_b1) | 0;
  if (typeof value !== 'object' || value === null) return value === null ? 3 : value === true ? 5 : 7;
  let hash = 11;
  if (Array.isArray(value)) {
    for (const item of value) hash = (Math.imul(hash, 31) + hashOf(item, run)) | 0;
    return hash;
  }
  const keys = Object.keys(value);
  run.charge(keys.length);
  // A sum, because the order of the members does not count.
  for (const key of keys) hash = (hash + Math.imul(hashOfText(key), hashOf((value as Members)[key], run) | 1)) | 0;
  return hash;
}

function hashOfText(text: string): number {
  let hash = text.length;
  for (let index = Math.min(text.length, hashedCharacters); index-- > 0;) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(text.length - 1 - index)) | 0;
  }
  return hash;
}
