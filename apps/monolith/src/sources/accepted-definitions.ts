import type { JsonValue, ValueStore } from '@ravi/kernel';
import type { ToolDefinition } from './tool-definition.ts';

/** Accepted definition of a tool. */
export interface AcceptedDefinition {
  readonly definition: ToolDefinition;
  /** SHA-256 of the definition. */
  readonly digest: string;
  /** True if the source was trusted then. */
  readonly isTrusted: boolean;
  /** Principal who accepted it; absent for a definition that was the first of its tool. */
  readonly by?: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Latest definition that a person refused. */
  readonly rejected?: { readonly digest: string; readonly by: string; readonly at: number };
}

/** An accepted definition with the revision of its place in the store. */
export interface StoredDefinition {
  readonly revision: number;
  readonly accepted: AcceptedDefinition;
}

/** Accepted definitions of the tools of all sources. Failures of the state store pass through. */
export interface AcceptedDefinitions {
  /** Returns the definitions of a source by the name of their tool. */
  of(source: string): Promise<ReadonlyMap<string, StoredDefinition>>;
  /** Stores a definition if the place still has the revision, 0 for none; returns the new one, or `undefined`. */
  put(source: string, accepted: AcceptedDefinition, ifRevision: number): Promise<StoredDefinition | undefined>;
}

const place = { area: 'tool-definitions', principal: '' } as const;

/** Creates the accepted definitions in a state store, or in memory without one. */
export function createAcceptedDefinitions(
  values: Pick<ValueStore, 'list' | 'put'> = createMemoryValues(),
): AcceptedDefinitions {
  return {
    async of(source) {
      const found = new Map<string, StoredDefinition>();
      for (const { value, revision } of await values.list(place)) {
        const { source: of, ...accepted } = value as unknown as AcceptedDefinition & { readonly source: string };
        if (of === source) found.set(accepted.definition.name, { revision, accepted });
      }
      return found;
    },
    async put(source, accepted, ifRevision) {
      const key = `${source}/${accepted.definition.name}`;
      const value = { source, ...accepted } as unknown as JsonValue;
      const revision = await values.put({ ...place, key }, value, { ifRevision });
      return revision === undefined ? undefined : { revision, accepted };
    },
  };
}

/** For a process without a state store: definitions are compared while it lives. */
function createMemoryValues(): Pick<ValueStore, 'list' | 'put'> {
  const values = new Map<string, { readonly value: JsonValue; readonly revision: number }>();
  return {
    list: async () => Array.from(values, ([key, stored]) => ({ key, ...stored })),
    async put({ key }, value, { ifRevision } = {}) {
      const { revision = 0 } = values.get(key) ?? {};
      if (ifRevision !== undefined && ifRevision !== revision) return undefined;
      values.set(key, { value, revision: revision + 1 });
      return revision + 1;
    },
  };
}
