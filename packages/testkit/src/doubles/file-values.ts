import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { StoredValue, ValuePlace, ValueStore } from '@ravi/kernel';

/** Creates a value store in one JSON file, so that a test can continue in another process. One process at a time may use it. */
export function createFileValues(path: string): ValueStore {
  const read = (): Record<string, StoredValue> =>
    existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, StoredValue>) : {};
  const write = (values: Record<string, StoredValue>): void => writeFileSync(path, JSON.stringify(values));
  const ownerOf = ({ area, principal }: Pick<ValuePlace, 'area' | 'principal'>): string => `${area}\n${principal}\n`;
  return {
    async get(place) {
      return read()[ownerOf(place) + place.key];
    },
    async put(place, value, { ifRevision } = {}) {
      const values = read();
      const revision = values[ownerOf(place) + place.key]?.revision ?? 0;
      if (ifRevision !== undefined && ifRevision !== revision) return undefined;
      values[ownerOf(place) + place.key] = { key: place.key, value, revision: revision + 1 };
      write(values);
      return revision + 1;
    },
    async delete(place, { ifRevision } = {}) {
      const { [ownerOf(place) + place.key]: found, ...rest } = read();
      if (found === undefined || (ifRevision !== undefined && ifRevision !== found.revision)) return false;
      write(rest);
      return true;
    },
    async list(owner) {
      return Object.entries(read())
        .filter(([key]) => key.startsWith(ownerOf(owner)))
        .map(([, stored]) => stored);
    },
  };
}
