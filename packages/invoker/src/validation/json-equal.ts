import type { Members } from './check.ts';
import type { Run } from './run.ts';

/** Units of work that an item of a list with `uniqueItems` takes. */
const itemUnits = 3;
const numberBits = new DataView(new ArrayBuffer(8));

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
  if (typeof value === 'string') return hashOfText(value, run);
  if (typeof value === 'number') return hashOfNumber(value);
  if (typeof value !== 'object' || value === null) return value === null ? 3 : value === true ? 5 : 7;
  let hash = 11;
  if (Array.isArray(value)) {
    for (const item of value) hash = mixed(hash, hashOf(item, run));
    return hash;
  }
  const keys = Object.keys(value);
  run.charge(keys.length);
  // A sum, because the order of the members does not count.
  for (const key of keys) hash = (hash + mixed(hashOfText(key, run), hashOf((value as Members)[key], run))) | 0;
  return hash;
}

// All of the text, because paths that end alike and addresses that start alike are common.
function hashOfText(text: string, run: Run): number {
  run.chargeText(text.length);
  let hash = text.length;
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}

// All 64 bits, because fractions differ in the low ones and large numbers in the high ones.
function hashOfNumber(value: number): number {
  // A sum with 0 makes -0, which equals 0, the same bits.
  numberBits.setFloat64(0, value + 0);
  return mixed(numberBits.getInt32(0), numberBits.getInt32(4));
}

/** Combines two hashes in this order, so that a change of any bit may change every bit (the final step of MurmurHash3). */
function mixed(left: number, right: number): number {
  let hash = (Math.imul(left, 31) + right) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return hash ^ (hash >>> 16);
}
