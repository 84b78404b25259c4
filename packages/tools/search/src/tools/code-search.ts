import { createLineSearchTool } from './grep.ts';
import type { Tool } from '@ravi/kernel';
import type { SearchParts } from './search-arguments.ts';

/** Creates the tool `code_search`: `grep` under the name that some models expect. */
export function createCodeSearchTool(parts: SearchParts): Tool {
  return createLineSearchTool(parts, {
    name: 'code_search',
    description: 'Searches the code in the workspace for a regular expression, and returns the lines that match.',
  });
}
