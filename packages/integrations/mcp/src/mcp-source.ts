import type { OpenToolSource, ToolSource } from '@ravi/kernel';
import { checkOptions } from './check-options.ts';
import type { McpServerOptions, McpSourceContext } from './options.ts';
import { OpenMcpSource } from './open-mcp-source.ts';

/**
 * Creates the source of the tools of one MCP server. The server starts, or is reached, when the source opens.
 * @throws KernelError `E_CONFIG_INVALID` naming the option
 */
export function createMcpSource(options: McpServerOptions, context: McpSourceContext): ToolSource {
  const checked = checkOptions(options);
  return {
    name: checked.name,
    async open({ signal, onChange, signInUrl }): Promise<OpenToolSource> {
      const source = new OpenMcpSource(checked, context, { onChange, signInUrl });
      await source.start(signal);
      return source;
    },
  };
}
