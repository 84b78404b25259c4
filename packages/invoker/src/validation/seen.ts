import type { Run } from './run.ts';

const unitsPerEntry = 3;

/** Properties and items of one value that keywords have evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export class Seen {
  hasAllKeys = false;
  /** Items before this index are evaluated. */
  itemsBefore = 0;
  readonly keys: Set<string> = new Set();
  readonly items: Set<number> = new Set();

  /** Adds what a subschema has evaluated. */
  add(other: Seen, run: Run): void {
    run.charge(1 + unitsPerEntry * (other.keys.size + other.items.size));
    this.hasAllKeys ||= other.hasAllKeys;
    this.itemsBefore = Math.max(this.itemsBefore, other.itemsBefore);
    for (const key of other.keys) this.keys.add(key);
    for (const index of other.items) this.items.add(index);
  }

  /** True if this property is evaluated. */
  hasKey(key: string): boolean {
    return this.hasAllKeys || this.keys.has(key);
  }

  /** True if this item is evaluated. */
  hasItem(index: number): boolean {
    return index < this.itemsBefore || this.items.has(index);
  }
}
