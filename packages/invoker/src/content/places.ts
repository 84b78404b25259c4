import type { BlobStat } from '@ravi/kernel';
import type { ArtifactPlace } from '@ravi/support';

type Path = ArtifactPlace['path'];

/** Place in the arguments at which the content of an artifact has replaced its reference. */
export interface FilledPlace extends ArtifactPlace {
  readonly stat: BlobStat;
  readonly value: unknown;
  /** True for bytes and streams, which neither JSON Schema nor `classifyRisk` can judge. */
  readonly isOpaque: boolean;
}

/** Returns a copy of `target` with `value` at `path`; only the objects along the path are copied. */
export function replaceAt(target: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(target))
    return target.map((child: unknown, index) => (index === step ? replaceAt(child, rest, value) : child));
  const object = target as Readonly<Record<string, unknown>>;
  return { ...object, [step]: replaceAt(object[step], rest, value) };
}

/**
 * Returns `args`, which an interceptor made from `shown`, with the reference back at every place whose content it left as
 * it was. The call then still names the artifact, and a tool that reads streams still gets one.
 */
export function restoreRefs(args: unknown, shown: unknown, places: readonly FilledPlace[]): unknown {
  let restored = args;
  for (const { path, ref } of places) {
    const value = valueAt(shown, path);
    if (value !== undefined && Object.is(valueAt(args, path), value))
      restored = replaceAt(restored, path, { $artifact: ref });
  }
  return restored;
}

function valueAt(target: unknown, path: Path): unknown {
  let value = target;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[step];
  }
  return value;
}
