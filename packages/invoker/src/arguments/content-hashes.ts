import type { BlobStat, JsonObject, JsonValue } from '@ravi/kernel';

/** A copy of `args` in which every known artifact ref is replaced by the hash of what it holds: `sha256:<hex>`. */
export function withContentHashes(args: JsonObject, stats: ReadonlyMap<string, BlobStat | undefined>): JsonObject {
  return replace(args, stats) as JsonObject;
}

function replace(value: JsonValue, stats: ReadonlyMap<string, BlobStat | undefined>): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((child: JsonValue) => replace(child, stats));
  const entries = Object.entries(value as JsonObject);
  const [only] = entries;
  if (entries.length === 1 && only?.[0] === '$artifact' && typeof only[1] === 'string') {
    const hash = stats.get(only[1])?.sha256;
    return hash === undefined ? value : { $artifact: `sha256:${hash}` };
  }
  return Object.fromEntries(entries.map(([key, child]) => [key, replace(child, stats)]));
}
