import type { InvokerSession } from '@ravi/invoker';
import { KernelError } from '@ravi/kernel';
import type { ChainFile, JsonObject } from '@ravi/kernel';

/** The files that are recorded already, by session. Not a field of the run: most runs are not recorded, or have no files. */
const recorded = new WeakMap<InvokerSession, ReadonlySet<ChainFile>>();

/** Returns the files of a run that no earlier message has recorded, as details of the next one. */
export function newFiles(session: InvokerSession): JsonObject {
  const { files } = session;
  if (files.length === 0) return {};
  const known = recorded.get(session);
  const added = known === undefined ? files : files.filter((file) => !known.has(file));
  if (added.length === 0) return {};
  recorded.set(session, new Set(files));
  return { files: added as unknown as JsonObject[] };
}

/** Gives a run that continues the files that it had. They are on record. */
export function restoreFiles(session: InvokerSession, files: readonly ChainFile[]): void {
  for (const file of files) session.addFile(file);
  recorded.set(session, new Set(session.files));
}

/** Reads stored files. @throws KernelError `E_STATE_CORRUPT` */
export function readFiles(value: unknown): readonly ChainFile[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every((file) => isFile(file))) {
    throw new KernelError('E_STATE_CORRUPT', 'The stored files of the run are corrupt');
  }
  return value;
}

function isFile(value: unknown): value is ChainFile {
  const { path, mediaType, artifactRef, bytes } = (value ?? {}) as Partial<ChainFile>;
  return [path, mediaType, artifactRef].every((text) => typeof text === 'string') && typeof bytes === 'number';
}
