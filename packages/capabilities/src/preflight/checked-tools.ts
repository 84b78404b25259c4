import type { AnyTool, Tool, ToolRegistry } from '@ravi/kernel';
import { commonTypes } from '../declarations/shared-types.ts';
import { propertyName } from '../declarations/type-text.ts';
import { toolDeclarations } from '../declarations/tool-declarations.ts';
import { isForScripts } from '../discovery/visible-tools.ts';
import type { CheckedTool } from './finding.ts';
import { valueShape } from './value-shape.ts';

/** Member that marks objects without other properties; the globals of the check declare its name. */
const closedMark = '[closed]?: never;';
// A name appears in a script as an identifier or as a string.
const possibleNames: readonly RegExp[] = [/[\w$]+/g, /(?<=(["'`]))[\w.-]{1,64}(?=\1)/g];

// Tools are frozen when they are added, so a cached entry stays valid.
const known = new WeakMap<AnyTool, CheckedTool>();

/** Returns the tools of a registry whose names occur in a script. */
export function checkedTools(source: string, registry: Pick<ToolRegistry, 'get'>): readonly CheckedTool[] {
  const names = new Set(possibleNames.flatMap((pattern) => Array.from(source.matchAll(pattern), ([name]) => name)));
  const tools: CheckedTool[] = [];
  for (const name of names) {
    const tool = registry.get(name);
    if (tool !== undefined) tools.push(checkedTool(tool));
  }
  return tools;
}

function checkedTool(tool: AnyTool): CheckedTool {
  let checked = known.get(tool);
  if (checked === undefined) {
    // A call of a tool that scripts may not call is refused by the invoker, with its own reason.
    checked = isForScripts(tool) ? typedTool(tool) : untypedTool(tool);
    known.set(tool, checked);
  }
  return checked;
}

function typedTool(tool: Tool): CheckedTool {
  const declaration = toolDeclarations([tool], { closedMark }).text.slice(commonTypes.length);
  return { name: tool.name, declaration, args: valueShape(tool.inputSchema) };
}

function untypedTool({ name }: AnyTool): CheckedTool {
  return { name, declaration: `declare const tools: { ${propertyName(name)}: ToolFunction<any> };`, args: {} };
}
