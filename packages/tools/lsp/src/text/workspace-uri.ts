import { basename, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Workspace } from '@ravi/tools-kit';

/** Returns the URI of a path of the workspace. */
export function uriOf(workspace: Workspace, path: string): string {
  return pathToFileURL(join(workspace.root, path)).href;
}

/**
 * Returns the path in the workspace that a URI of a server names, without following links; `undefined` if it is outside, or not a file. The
 * boundary itself is checked when the file is opened.
 */
export function pathOfUri(workspace: Workspace, uri: unknown): string | undefined {
  const path = filePath(uri);
  if (path === undefined) return undefined;
  const inner = relative(workspace.root, path);
  return inner === '' || inner === '..' || inner.startsWith('../') || isAbsolute(inner) ? undefined : inner;
}

/** Returns the last part of the path of a URI, for a file outside of the workspace. */
export function nameOfUri(uri: unknown): string {
  return basename(filePath(uri) ?? '').slice(0, 200) || 'another file';
}

function filePath(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !uri.startsWith('file://')) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
