import type { ApprovalRequest, JsonObject, JsonValue } from '@ravi/kernel';
import { markText } from './mark-text.ts';
import type { DisplaySegment } from './mark-text.ts';

/** Row of shown arguments. */
export interface DisplayRow {
  /** Number of objects and lists around it. */
  readonly depth: number;
  readonly segments: readonly DisplaySegment[];
}

/**
 * Arguments as every surface shows them: rows of JSON with sorted keys. The texts of all segments, joined, parse to exactly the
 * arguments of the request, so a surface that shows every row shows everything that will run.
 */
export interface ArgumentsDisplay {
  readonly rows: readonly DisplayRow[];
  /** Refs of the artifacts whose content will run. */
  readonly artifacts: readonly string[];
}

const placeholder = '[redacted]';
/** Characters of a string in one row. */
const maxRowCharacters = 1_000;

/** Returns the arguments of a request for display. */
export function displayArguments({ args, hidden = [] }: Pick<ApprovalRequest, 'args' | 'hidden'>): ArgumentsDisplay {
  const display = { rows: [] as DisplayRow[], artifacts: [] as string[], hidden: new Set(hidden) };
  show(args, { depth: 0, pointer: '', before: [], after: '' }, display);
  return { rows: display.rows, artifacts: [...new Set(display.artifacts)] };
}

/** Returns the JSON that the rows of a display show. */
export function shownJson({ rows }: Pick<ArgumentsDisplay, 'rows'>): string {
  return rows.flatMap(({ segments }) => segments.map(({ text }) => text)).join('');
}

interface Place {
  readonly depth: number;
  readonly pointer: string;
  /** Segments before the value: the key. */
  readonly before: readonly DisplaySegment[];
  /** Text after the value: a comma, or nothing. */
  readonly after: string;
}

interface Building {
  readonly rows: DisplayRow[];
  readonly artifacts: string[];
  readonly hidden: ReadonlySet<string>;
}

function show(value: JsonValue, place: Place, building: Building): void {
  const { depth, before, after } = place;
  if (typeof value === 'string') return showText(value, place, building);
  if (typeof value !== 'object' || value === null) {
    return void building.rows.push({ depth, segments: [...before, { text: `${JSON.stringify(value)}${after}` }] });
  }
  const ref = Array.isArray(value) ? undefined : artifactRef(value as JsonObject);
  if (ref !== undefined) return showArtifact(ref, place, building);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const keys = Array.isArray(value) ? Object.keys(value) : Object.keys(value).toSorted();
  if (keys.length === 0) {
    return void building.rows.push({ depth, segments: [...before, { text: `${open}${close}${after}` }] });
  }
  building.rows.push({ depth, segments: [...before, { text: open }] });
  for (const [index, key] of keys.entries()) {
    show(
      (value as Record<string, JsonValue>)[key] as JsonValue,
      {
        depth: depth + 1,
        pointer: `${place.pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        before: Array.isArray(value) ? [] : [{ text: '"' }, ...markText(key), { text: '": ' }],
        after: index === keys.length - 1 ? '' : ',',
      },
      building,
    );
  }
  building.rows.push({ depth, segments: [{ text: `${close}${after}` }] });
}

function showText(text: string, { depth, pointer, before, after }: Place, { rows, hidden }: Building): void {
  const pieces = hidden.has(pointer) ? text.split(placeholder) : [text];
  const content = pieces.flatMap((piece, index): DisplaySegment[] => [
    ...(index === 0 ? [] : [{ text: placeholder, mark: 'hidden' as const, note: 'a secret' }]),
    ...markText(piece),
  ]);
  const segments = [...before, { text: '"' }, ...content, { text: `"${after}` }];
  for (const row of splitRows(segments)) rows.push({ depth, segments: row });
}

function showArtifact(ref: string, { depth, before, after }: Place, { rows, artifacts }: Building): void {
  artifacts.push(ref);
  const content: DisplaySegment[] = [
    { text: '{"$artifact": ' },
    { text: JSON.stringify(ref), mark: 'artifact', note: 'content that will run: open it' },
    { text: `}${after}` },
  ];
  rows.push({ depth, segments: [...before, ...content] });
}

function artifactRef(value: JsonObject): string | undefined {
  const { $artifact: ref } = value;
  return Object.keys(value).length === 1 && typeof ref === 'string' ? ref : undefined;
}

/** Splits segments into rows of bounded length, never inside an escape or a character. */
function splitRows(segments: readonly DisplaySegment[]): readonly (readonly DisplaySegment[])[] {
  const rows: DisplaySegment[][] = [[]];
  let length = 0;
  for (const segment of segments) {
    for (const part of segment.mark === undefined ? cut(segment.text) : [segment.text]) {
      if (length > 0 && length + part.length > maxRowCharacters) {
        rows.push([]);
        length = 0;
      }
      rows.at(-1)?.push({ ...segment, text: part });
      length += part.length;
    }
  }
  return rows;
}

function cut(text: string): readonly string[] {
  if (text.length <= maxRowCharacters) return [text];
  // A unit of JSON text: an escape, or one character.
  const units = text.match(/\\(?:u[0-9a-f]{4}|.)|./gsu) ?? [];
  const parts: string[] = [];
  let part = '';
  for (const unit of units) {
    if (part.length + unit.length > maxRowCharacters) {
      parts.push(part);
      part = '';
    }
    part += unit;
  }
  return [...parts, part];
}
