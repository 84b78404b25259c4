import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import { toolReply } from '@ravi/tools-kit';
import { askAboutFile } from '../ask-about.ts';
import type { LspParts } from '../server/server-pool.ts';
import { readSymbols, symbolLine } from '../output/symbols.ts';
import type { FoundSymbol } from '../output/symbols.ts';

const maxSymbols = 2_000;

/** Creates `lsp_symbols`. */
export function createSymbolsTool(parts: LspParts): Tool {
  return defineTool({
    name: 'lsp_symbols',
    description: 'Lists the functions, classes and other symbols of a file, or finds symbols of the workspace by name.',
    risk: 'safe',
    documentation: () =>
      '`path` lists the symbols of a file with their container. `query` finds symbols of the whole workspace by a part of the name; name the server ' +
      'with `server` if several are configured. At most 2 000 are listed; `more` is the number of the others.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'File in the workspace.' },
        query: { type: 'string', minLength: 1, maxLength: 200, description: 'Part of a name, in place of a file.' },
        server: { type: 'string', description: 'Name of the language server, for "query".' },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        symbols: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              kind: { type: 'string' },
              container: { type: 'string' },
              path: { type: 'string' },
              outside: { type: 'string' },
              line: { type: 'integer' },
              column: { type: 'integer' },
              endLine: { type: 'integer' },
            },
            required: ['name', 'kind', 'line', 'column'],
          },
        },
        more: { type: 'integer' },
      },
      required: ['symbols', 'more'],
    },
    async execute({ path, query, server }, context) {
      if ((path === undefined) === (query === undefined)) {
        throw new KernelError('E_ARGUMENTS_INVALID', 'Name either "path" or "query"', { hadNoEffect: true });
      }
      if (path === undefined) return ofWorkspace(parts, context, query ?? '', server);
      return askAboutFile(parts, context, path, async ({ workspace, document, ready, signal, path: file }) => {
        const params = { textDocument: { uri: document.uri } };
        const answer = await ready.server.request('textDocument/documentSymbol', params, signal);
        return resultOf(readSymbols(workspace, answer, { path: file, lines: document.lines }));
      });
    },
  });
}

async function ofWorkspace(
  { pool, workspaceOf }: LspParts,
  context: Pick<ToolContext, 'cwd' | 'signal'>,
  query: string,
  asked: string | undefined,
): Promise<ToolExecutionResult> {
  const { names } = pool;
  const name = asked ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined || !names.includes(name)) {
    throw new KernelError('E_ARGUMENTS_INVALID', `Name one of the language servers as "server": ${names.join(', ')}`, {
      hadNoEffect: true,
    });
  }
  const workspace = workspaceOf(context);
  return pool.use(name, workspace, context.signal, async ({ server }) => {
    const answer = await server.request('workspace/symbol', { query }, context.signal);
    return resultOf(readSymbols(workspace, answer));
  });
}

function resultOf(found: readonly FoundSymbol[]): ToolExecutionResult {
  const symbols = found.slice(0, maxSymbols);
  const more = found.length - symbols.length;
  const lines = [...symbols.map(symbolLine), ...(more === 0 ? [] : [`and ${more} more`])];
  return toolReply(lines.length === 0 ? 'No symbols' : lines.join('\n'), { symbols, more });
}
