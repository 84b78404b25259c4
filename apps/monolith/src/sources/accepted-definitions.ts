import type { JsonValue, ValueStore } from '@ravi/kernel';
import type { ToolDefinition } from './tool-definition.ts';

/** Refusal of a definition by a person. */
export interface RejectedDefinition {
  /** SHA-256 of the refused definition. */
  readonly digest: string;
  readonly by: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Accepted definition of a tool, or the refused one of a tool that was never accepted. */
export interface AcceptedDefinition {
  readonly definition: ToolDefinition;
  /** SHA-256 of the definition. */
  readonly digest: string;
  /** True if the source was trusted then. */
  readonly isTrusted: boolean;
  /** Principal who accepted it; absent for a definition of the first list of its source. */
  readonly by?: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Latest definition that a person refused. */
  readonly rejected?: RejectedDefinition;
  /** True if nothing of the tool was accepted yet, and `definition` is the refused one. */
  readonly isOnlyRejected?: true;
}

/** An accepted definition with the revision of its place in the store. */
export interface StoredDefinition {
  readonly revision: number;
  readonly accepted: AcceptedDefinition;
}

/** Stored definitions of a source. */
export interface StoredDefinitions {
  /** By the name of their tool. */
  readonly byTool: ReadonlyMap<string, StoredDefinition>;
  /** True if the first list of the source was accepted as a whole, so that every other name is new. */
  readonly hasFirstList: boolean;
}

/** Accepted definitions of the tools of all sources. Failures of the state store pass through. */
export interface AcceptedDefinitions {
  of(source: string): Promise<StoredDefinitions>;
  /** Stores a definition if the place still has the revision, 0 for none; returns the new one, or `undefined`. */
  put(source: string, accepted: AcceptedDefinition, ifRevision: number): Promise<StoredDefinition | undefined>;
  /** Stores that the first list of a source was accepted as a whole. */
  endFirstList(source: string): Promise<void>;
}

const area = 'tool-definitions';
/** No tool has this name. */
const firstListKey = '/first-list';

/** Creates the accepted definitions in a state store, or in memory without one. */
export function createAcceptedDefinitions(
  values: Pick<ValueStore, 'list' | 'put'> = createMemoryValues(),
): AcceptedDefinitions {
  // Each source owns its values: a reading takes time for its own tools, not for those of all sources.
  const placeOf = (source: string): { readonly area: string; readonly principal: string } => ({
    area,
    principal: source,
  });
  return {
    async of(source) {
      const byTool = new Map<string, StoredDefinition>();
      let hasFirstList = false;
      for (const { key, value, revision } of await values.list(placeOf(source))) {
        if (key === firstListKey) hasFirstList = true;
        else byTool.set(key, { revision, accepted: value as unknown as AcceptedDefinition });
      }
      return { byTool, hasFirstList };
    },
    async put(source, accepted, ifRevision) {
      const key = accepted.definition.name;
      const revision = await values.put({ ...placeOf(source), key }, accepted as unknown as JsonValue, { ifRevision });
      return revision === undefined ? undefined : { revision, accepted };
    },
    async endFirstList(source) {
      await values.put({ ...placeOf(source), key: firstListKey }, true);
    },
  };
}

/** For a process without a state store: definitions are compared while it lives. */
function createMemoryValues(): Pick<ValueStore, 'list' | 'put'> {
  const all = new Map<string, Map<string, { readonly value: JsonValue; readonly revision: number }>>();
  return {
    list: async ({ principal }) => Array.from(all.get(principal) ?? [], ([key, stored]) => ({ key, ...stored })),
    async put({ principal, key }, value, { ifRevision } = {}) {
      const values = all.get(principal) ?? new Map<string, { readonly value: JsonValue; readonly revision: number }>();
      const { revision = 0 } = values.get(key) ?? {};
      if (ifRevision !== undefined && ifRevision !== revision) return undefined;
      all.set(principal, values.set(key, { value, revision: revision + 1 }));
      return revision + 1;
    },
  };
}
