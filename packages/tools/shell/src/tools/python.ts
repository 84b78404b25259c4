import type { Tool } from '@ravi/kernel';
import { createPythonTool } from './code-exec.ts';
import type { ShellParts } from './shell-parts.ts';

/** Creates the tool `python`: `code_exec` under the name that some models expect. */
export function createPythonAliasTool(parts: ShellParts): Tool {
  return createPythonTool(parts, 'python');
}
