import type { JsonValue, StoredValue, ValuePlace, ValueStore } from '@ravi/kernel';

type Owner = Pick<ValuePlace, 'area' | 'principal'>;

/** Creates a {@link ValueStore} in the memory of this process. */
export function createMemoryValues(): ValueStore {
  const areas = new Map<string, Map<string, StoredValue>>();
  const nameOf = ({ area, principal }: Owner): string => JSON.stringify([area, principal]);
  return {
    get: async (place) => areas.get(nameOf(place))?.get(place.key),
    async put(place, value: JsonValue, { ifRevision } = {}) {
      const name = nameOf(place);
      const area = areas.get(name) ?? new Map<string, StoredValue>();
      const revision = area.get(place.key)?.revision ?? 0;
      if (ifRevision !== undefined && ifRevision !== revision) return undefined;
      areas.set(name, area);
      area.set(place.key, { key: place.key, value, revision: revision + 1 });
      return revision + 1;
    },
    async delete(place, { ifRevision } = {}) {
      const area = areas.get(nameOf(place));
      const known = area?.get(place.key);
      if (area === undefined || known === undefined) return false;
      if (ifRevision !== undefined && ifRevision !== known.revision) return false;
      area.delete(place.key);
      if (area.size === 0) areas.delete(nameOf(place));
      return true;
    },
    list: async (owner) => [...(areas.get(nameOf(owner))?.values() ?? [])],
  };
}
