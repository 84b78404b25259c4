import type { Tool } from '@ravi/kernel';
import MiniSearch from 'minisearch';
import { parameterNames, parameterNotes, summaryOf } from './summary.ts';
import { termOf, wordsOf } from './words.ts';

// Descriptions of some servers are whole manuals; they say what the tool does at the start.
const maxIndexedCharacters = 700;
// About 5 ms of work.
const toolsPerSlice = 64;
// Tools with less than this share of the best score are not matches.
const minRelativeScore = 0.05;

/** Search index over the names, descriptions and parameter names of tools. */
export interface ToolIndex {
  /** Adds new tools and removes missing ones; yields to the event loop between slices. */
  update(tools: readonly Tool[]): Promise<void>;
  /** Returns the names of the visible tools that match, best first. */
  rank(query: string, isVisible: (name: string) => boolean): readonly string[];
}

interface ToolDocument {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: string;
}

/** Creates an empty index. Ranking is BM25+ over stemmed words; synonyms count as the same word. */
export function createToolIndex(): ToolIndex {
  const index = new MiniSearch<ToolDocument>({
    fields: ['name', 'summary', 'description', 'parameters'],
    tokenize: (text) => [...wordsOf(text)],
    processTerm: (word) => termOf(word),
    searchOptions: {
      boost: { name: 3, summary: 2, parameters: 0.5 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.2 : false),
      weights: { prefix: 0.3, fuzzy: 0.2 },
    },
  });
  const indexed = new Map<string, { readonly tool: Tool; readonly document: ToolDocument }>();
  let updating: Promise<void> = Promise.resolve();

  async function bringUpToDate(tools: readonly Tool[]): Promise<void> {
    const current = new Map(tools.map((tool) => [tool.name, tool]));
    let changes = 0;
    for (const { tool, document } of indexed.values()) {
      const now = current.get(tool.name);
      if (now !== undefined && readsTheSame(now, tool)) continue;
      if (++changes % toolsPerSlice === 0) await nextTurn();
      // Not `discard`: the entries that it leaves count as documents, and scores become NaN.
      index.remove(document);
      indexed.delete(document.id);
    }
    for (const tool of tools) {
      if (indexed.has(tool.name)) continue;
      if (++changes % toolsPerSlice === 0) await nextTurn();
      const document = documentOf(tool);
      index.add(document);
      indexed.set(document.id, { tool, document });
    }
  }

  return {
    update(tools) {
      const updated = updating.then(() => bringUpToDate(tools));
      // A tool that cannot be read fails this search only.
      updating = updated.catch(() => undefined);
      return updated;
    },
    rank(query, isVisible) {
      const results = index.search(query, { filter: ({ id }) => isVisible(id as string) });
      const least = (results[0]?.score ?? 0) * minRelativeScore;
      return results.filter(({ score }) => score >= least).map(({ id }) => id as string);
    },
  };
}

// A registry of a third party may return new objects each time.
function readsTheSame(left: Tool, right: Tool): boolean {
  return left === right || (left.description === right.description && left.inputSchema === right.inputSchema);
}

function documentOf(tool: Tool): ToolDocument {
  return {
    id: tool.name,
    name: tool.name,
    summary: summaryOf(tool),
    description: [tool.description, ...parameterNotes(tool)]
      .filter((text) => typeof text === 'string')
      .join(' ')
      .slice(0, maxIndexedCharacters),
    parameters: parameterNames(tool).join(' '),
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
