import type { Tool, ToolRegistry } from '@ravi/kernel';
import { askClarificationTool, askUserTool } from './ask-tools.ts';
import { infoTool } from './info-tool.ts';

/** Names of the tools with which a model asks the user. */
export const askToolNames: readonly string[] = [askUserTool.name, askClarificationTool.name];

/** Returns those of `ask_user`, `ask_clarification` and `info` whose names no tool of a registry has. */
export function missingQuestionTools(registry: ToolRegistry): readonly Tool[] {
  return [askUserTool, askClarificationTool, infoTool].filter(({ name }) => registry.get(name) === undefined);
}
