import type { Workspace } from '@ravi/tools-kit';
import type { Location, LocationLink } from 'vscode-languageserver-types';
import { Lines } from './positions.ts';
import type { ProtocolPosition } from './positions.ts';
import { readText } from './read-text.ts';
import { nameOfUri, pathOfUri } from './workspace-uri.ts';

const maxLocations = 5_000;
const maxLineLength = 300;

/** Place that a server named, as people count. */
export interface FoundLocation {
  /** In the workspace; absent for a file outside of it. */
  readonly path?: string;
  /** Name of a file outside of the workspace. */
  readonly outside?: string;
  readonly line: number;
  readonly column: number;
  readonly endLine?: number;
  readonly endColumn?: number;
  /** The line, up to 300 characters. */
  readonly text?: string;
}

/** Reads the locations in an answer, of which other forms are left out, and adds their lines. `more` is the number of those above 5 000. */
export async function readLocations(
  workspace: Workspace,
  answer: unknown,
  maxBytes: number,
): Promise<{ readonly locations: readonly FoundLocation[]; readonly more: number }> {
  const list: readonly unknown[] = Array.isArray(answer)
    ? answer
    : answer === null || answer === undefined
      ? []
      : [answer];
  const files = new Map<string, Lines | undefined>();
  const locations: FoundLocation[] = [];
  for (const each of list.slice(0, maxLocations)) {
    const { uri, targetUri, range, targetSelectionRange } = (each ?? {}) as Partial<Location & LocationLink>;
    const place = targetSelectionRange ?? range;
    if (!isPosition(place?.start) || !isPosition(place?.end)) continue;
    const path = pathOfUri(workspace, targetUri ?? uri);
    if (path === undefined) {
      const { line, character } = place.start;
      locations.push({ outside: nameOfUri(targetUri ?? uri), line: line + 1, column: character + 1 });
      continue;
    }
    if (!files.has(path)) files.set(path, await linesOf(workspace, path, maxBytes));
    locations.push(located(path, files.get(path), place.start, place.end));
  }
  return { locations, more: Math.max(0, list.length - maxLocations) };
}

function located(path: string, lines: Lines | undefined, from: ProtocolPosition, to: ProtocolPosition): FoundLocation {
  if (lines === undefined) return { path, line: from.line + 1, column: from.character + 1 };
  const end = lines.place(to);
  const text = lines.line(from.line).trim().slice(0, maxLineLength);
  return { path, ...lines.place(from), endLine: end.line, endColumn: end.column, text };
}

async function linesOf(workspace: Workspace, path: string, maxBytes: number): Promise<Lines | undefined> {
  const text = await readText(workspace, path, maxBytes).catch(() => undefined);
  return text === undefined ? undefined : new Lines(text);
}

/** True for a position of the protocol. */
export function isPosition(value: unknown): value is ProtocolPosition {
  const { line, character } = (value ?? {}) as Partial<ProtocolPosition>;
  return Number.isSafeInteger(line) && Number.isSafeInteger(character) && Number(line) >= 0 && Number(character) >= 0;
}

/** Returns one line for a reader. */
export function locationLine({ path, outside, line, column, text = '' }: FoundLocation): string {
  return `${path ?? `(outside) ${outside ?? ''}`}:${line}:${column} ${text}`.trimEnd();
}
