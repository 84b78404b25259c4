import { defineTool, isHostedTool, isLocalTool, KernelError } from '@ravi/kernel';
import type { AnyTool, Tool } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import { toolRunOf } from './tool-run.ts';

/** Returns the full documentation of a tool to the model. A deferred tool is offered from then on. */
export const infoTool: Tool = defineTool({
  name: 'info',
  description: 'Returns the full documentation of a tool: purpose, arguments, caveats.',
  inputSchema: {
    type: 'object',
    properties: { tool: { type: 'string', description: 'Name of the tool' } },
    required: ['tool'],
    additionalProperties: false,
  },
  risk: 'safe',
  allowedCallers: ['direct'],
  execute({ tool: name }, context) {
    const run = toolRunOf(context);
    if (run === undefined)
      throw new KernelError('E_TOOL_NOT_CALLABLE', 'info can only be called directly by the model of an agent');
    const tools = run.offered.tools();
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) throw unknown(name, tools);
    run.offered.describe(tool.name);
    return documentationOf(tool, run.definition.guides.adviceFor(tool.name));
  },
});

function documentationOf(tool: AnyTool, advice: string): string {
  const written = isLocalTool(tool) ? tool.documentation?.() : undefined;
  const schemas = isHostedTool(tool) || !isLocalTool(tool) ? [] : [`Arguments: ${JSON.stringify(tool.inputSchema)}`];
  const parts = [`# ${tool.name}`, tool.description, written ?? '', ...schemas, advice];
  return parts.filter((part, index) => index < 2 || part !== '').join('\n\n');
}

function unknown(name: string, tools: readonly AnyTool[]): KernelError {
  const near = nearNames(
    name,
    tools.map((tool) => tool.name),
  );
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  return new KernelError('E_TOOL_UNKNOWN', `There is no tool ${name}.${hint}`);
}
