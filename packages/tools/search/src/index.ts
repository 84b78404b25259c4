import { defineToolsPlugin, workspaceOfCall } from '@ravi/tools-kit';
import type { ToolSelection } from '@ravi/tools-kit';
import type { Plugin } from '@ravi/kernel';
import { openEngine } from './engine/open-engine.ts';
import type { EngineChoice } from './engine/open-engine.ts';
import { createGlobTool } from './tools/glob.ts';
import { createCodeSearchTool, createGrepTool } from './tools/grep.ts';
import type { SearchParts } from './tools/search-arguments.ts';
import { createTreeTool } from './tools/tree.ts';

export type { EngineChoice } from './engine/open-engine.ts';

/** Options of the search tools in the configuration. */
export interface SearchToolsOptions {
  /** Folder that is searched, relative to the configuration. Default: the workspace of the agent; without one a call fails. */
  readonly root?: string;
  /** Engine of `glob`, `grep` and `code_search`. Default: `auto`. */
  readonly engine?: EngineChoice;
}

const plugin: Plugin<'toolSource', SearchToolsOptions & ToolSelection> = defineToolsPlugin<
  SearchToolsOptions,
  SearchParts
>({
  name: 'tools-search',
  options: {
    root: {
      type: 'string',
      minLength: 1,
      description:
        'Folder that is searched, relative to the configuration. Default: the workspace of the agent; without one a call fails.',
    },
    engine: {
      enum: ['auto', 'ripgrep', 'javascript'],
      default: 'auto',
      description: '"auto" is ripgrep where it has a program for this system; "javascript" starts no program.',
    },
  },
  tools: { glob: createGlobTool, grep: createGrepTool, code_search: createCodeSearchTool, tree: createTreeTool },
  async open({ root, engine = 'auto' }, { baseDir, logger }) {
    return { engine: await openEngine(engine, logger), workspaceOf: workspaceOfCall({ root, baseDir }) };
  },
});
export default plugin;
