import { cycles } from './cycles.ts';
import type { Graph } from './cycles.ts';
import type { SourceFile } from './import-graph.ts';
import { missingPaths } from './named-paths.ts';

/** One property of the repository's structure, measured. */
export interface Target {
  readonly name: string;
  readonly measured: number;
  /** The largest value that is accepted. */
  readonly limit: number;
  /** The places that count, for a reader who has to bring the number down. */
  readonly places: readonly string[];
}

const smallLines = 25;

/** Measures the structure of the repository against its limits. */
export function measureTargets(files: readonly SourceFile[]): readonly Target[] {
  const missing = missingPaths();
  return [
    fileCycle(files),
    roomCycles(files),
    smallFiles(files),
    longFiles(files),
    ...definitions(files),
    {
      name: 'files that the maps of the repository name but that do not exist',
      measured: missing.length,
      limit: 0,
      places: missing,
    },
  ];
}

function fileCycle(files: readonly SourceFile[]): Target {
  const graph: Graph = new Map(files.map(({ path, imports }) => [path, new Set(imports)]));
  const [largest = []] = cycles(graph);
  return {
    name: 'files in the largest import cycle, types included',
    measured: largest.length,
    limit: 18,
    places: largest,
  };
}

/** A room is a folder below a package's `src`. Rooms that import each other, directly or through others, form a cycle. */
function roomCycles(files: readonly SourceFile[]): Target {
  const graph = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    const from = roomOf(path);
    if (from === undefined) continue;
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    for (const target of imports) {
      const to = roomOf(target);
      if (to !== undefined && to !== from) targets.add(to);
    }
  }
  const found = cycles(graph).map((rooms) => rooms.join(' <-> '));
  return { name: 'cycles between the folders of a package', measured: found.length, limit: 0, places: found };
}

function roomOf(path: string): string | undefined {
  return /^(.*?\/(?:src|app)\/[^/]+)\/[^/]/.exec(path)?.[1];
}

function smallFiles(files: readonly SourceFile[]): Target {
  const small = files.filter((file) => file.lines <= smallLines && !isEntryPoint(file) && !isTemplate(file));
  const places = small.map(({ path, lines }) => `${path}: ${lines}`);
  return { name: `files of ${smallLines} lines or less`, measured: small.length, limit: 98, places };
}

/** True for files that an example copies into a project of its own. */
function isTemplate({ path }: SourceFile): boolean {
  return path.includes('/template/');
}

/** True for programs, configurations and files that only re-export: they are short because they start or list other files. */
function isEntryPoint({ path, text }: SourceFile): boolean {
  if (/^scripts\/[^/]+$|\/(?:main|[\w-]+\.config)\.tsx?$/.test(path)) return true;
  return text
    .replaceAll(/^\/\/.*$/gm, '')
    .split(';')
    .every((statement) => statement.trim() === '' || /^\s*export [^=]*\bfrom '[^']+'$/.test(statement));
}

function longFiles(files: readonly SourceFile[]): Target {
  const long = files.filter(({ lines }) => lines > 400).map(({ path, lines }) => `${path}: ${lines}`);
  return { name: 'files of more than 400 lines', measured: long.length, limit: 0, places: long };
}

/** Things that must be defined in one place only. */
function definitions(files: readonly SourceFile[]): readonly Target[] {
  return [
    once(files, 'approval feeds', /^export function createApprovalFeed\b/m),
    once(files, 'definitions of the operation GET /v1/runs/{id}', /path: '\/v1\/runs\/\{id\}'/),
    once(files, 'definitions of a run event', /^export (?:type|interface) RunEvent\b/m),
  ];
}

function once(files: readonly SourceFile[], name: string, pattern: RegExp): Target {
  const places = files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
  return { name, measured: places.length, limit: 1, places };
}
