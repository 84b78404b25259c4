import { KernelError } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { defineToolsPlugin, workspaceOfCall } from '@ravi/tools-kit';
import type { ToolSelection } from '@ravi/tools-kit';
import type { LspParts } from './server/server-pool.ts';
import { defaultLimits, knownServers, lspOptionSchemas } from './options.ts';
import type { LspOptions, LspServerOptions } from './options.ts';
import { ServerPool } from './server/server-pool.ts';
import { createDefinitionTool } from './tools/definition.ts';
import { createDiagnosticsTool } from './tools/diagnostics.ts';
import { createHoverTool } from './tools/hover.ts';
import { createReferencesTool } from './tools/references.ts';
import { createRenameTool } from './tools/rename.ts';
import { createSymbolsTool } from './tools/symbols.ts';

export type { LspLimits, LspOptions, LspServerOptions } from './options.ts';

const plugin: Plugin<'toolSource', LspOptions & ToolSelection> = defineToolsPlugin<LspOptions, LspParts>({
  name: 'tools-lsp',
  options: lspOptionSchemas,
  open({ root, servers = {}, limits: given }, { baseDir, clock, logger }) {
    const configured = new Map<string, LspServerOptions>();
    for (const [name, server] of Object.entries({ ...knownServers, ...servers })) {
      if (server !== false) configured.set(name, server);
    }
    if (configured.size === 0)
      throw new KernelError('E_CONFIG_INVALID', 'No language server is configured: set "servers"');
    const limits = { ...defaultLimits, ...given };
    const pool = new ServerPool({ servers: configured, limits, clock, logger });
    return {
      pool,
      limits,
      workspaceOf: workspaceOfCall({ root, baseDir }),
      [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
    };
  },
  tools: {
    lsp_definition: createDefinitionTool,
    lsp_references: createReferencesTool,
    lsp_hover: createHoverTool,
    lsp_diagnostics: createDiagnosticsTool,
    lsp_symbols: createSymbolsTool,
    lsp_rename: createRenameTool,
  },
});
export default plugin;
