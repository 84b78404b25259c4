import type { Workspace } from '@ravi/tools-kit';
import { isPosition } from '../text/locations.ts';
import type { Lines } from '../text/positions.ts';
import { nameOfUri, pathOfUri } from '../text/workspace-uri.ts';

const maxRead = 20_000;
const maxDepth = 50;
const kinds = [
  'file',
  'module',
  'namespace',
  'package',
  'class',
  'method',
  'property',
  'field',
  'constructor',
  'enum',
  'interface',
  'function',
  'variable',
  'constant',
  'string',
  'number',
  'boolean',
  'array',
  'object',
  'key',
  'null',
  'enum member',
  'struct',
  'event',
  'operator',
  'type parameter',
];

/** Symbol with its place. */
export interface FoundSymbol {
  readonly name: string;
  readonly kind: string;
  /** Name of the symbol that it is part of. */
  readonly container?: string;
  readonly path?: string;
  /** Name of a file outside of the workspace. */
  readonly outside?: string;
  readonly line: number;
  readonly column: number;
  readonly endLine?: number;
}

/** File whose symbols an answer has. */
export interface SymbolsFile {
  readonly path: string;
  readonly lines: Lines;
}

interface AnySymbol {
  readonly name?: unknown;
  readonly kind?: unknown;
  readonly containerName?: unknown;
  readonly location?: { readonly uri?: unknown; readonly range?: AnyRange };
  readonly selectionRange?: AnyRange;
  readonly range?: AnyRange;
  readonly children?: unknown;
}

interface AnyRange {
  readonly start?: unknown;
  readonly end?: unknown;
}

/** Reads the symbols of an answer, nested or not, in their order. What has another form is left out. */
export function readSymbols(workspace: Workspace, answer: unknown, file?: SymbolsFile): readonly FoundSymbol[] {
  const found: FoundSymbol[] = [];
  const visit = (list: unknown, container: string | undefined, depth: number): void => {
    if (!Array.isArray(list) || depth > maxDepth) return;
    for (const each of list as readonly (AnySymbol | null)[]) {
      if (found.length >= maxRead) return;
      const symbol = each ?? {};
      const read = readSymbol(workspace, symbol, container, file);
      if (read === undefined) continue;
      found.push(read);
      visit(symbol.children, read.name, depth + 1);
    }
  };
  visit(answer, undefined, 0);
  return found;
}

function readSymbol(
  workspace: Workspace,
  { name, kind, containerName, location, selectionRange, range }: AnySymbol,
  container: string | undefined,
  file: SymbolsFile | undefined,
): FoundSymbol | undefined {
  const start = (selectionRange ?? location?.range ?? range)?.start ?? { line: 0, character: 0 };
  const end = (range ?? location?.range)?.end;
  if (typeof name !== 'string' || !isPosition(start)) return undefined;
  const path = file?.path ?? pathOfUri(workspace, location?.uri);
  const part = container ?? (typeof containerName === 'string' && containerName !== '' ? containerName : undefined);
  return {
    name: name.slice(0, 500),
    kind: kinds[Number(kind) - 1] ?? 'symbol',
    ...(part === undefined ? {} : { container: part.slice(0, 500) }),
    ...(path === undefined ? { outside: nameOfUri(location?.uri) } : { path }),
    ...(file === undefined ? { line: start.line + 1, column: start.character + 1 } : file.lines.place(start)),
    ...(isPosition(end) ? { endLine: end.line + 1 } : {}),
  };
}

/** Returns one line for a reader. */
export function symbolLine({ name, kind, container, path, outside, line, column }: FoundSymbol): string {
  const part = container === undefined ? '' : ` in ${container}`;
  return `${path ?? `(outside) ${outside ?? ''}`}:${line}:${column} ${kind} ${name}${part}`;
}
