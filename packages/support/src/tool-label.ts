/** Label of all calls whose tool does not exist. */
export const otherTools = '_OTHER';

/** Failures of calls whose tool was not looked up, or does not exist. */
const beforeLookup: ReadonlySet<string> = new Set([
  'E_TOOL_UNKNOWN',
  'E_TOOL_ABSENT',
  'E_BUDGET_EXHAUSTED',
  'E_CANCELLED',
]);

/** Returns the label of a call's tool in metrics. */
export type ToolLabel = (tool: string, errorCode: string | undefined) => string;

/**
 * Creates the labels of tools in metrics. Models invent any number of names, so a name is a label only after a call has shown
 * that the tool exists; all others share {@link otherTools}.
 */
export function createToolLabel(): ToolLabel {
  const known = new Set<string>();
  return (tool, errorCode) => {
    if (known.has(tool)) return tool;
    if (errorCode !== undefined && beforeLookup.has(errorCode)) return otherTools;
    known.add(tool);
    return tool;
  };
}
