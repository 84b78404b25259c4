import { KernelError, notCallableFromChain, textBlock } from '@ravi/kernel';
import type { Snippet, Tool, ToolContext } from '@ravi/kernel';
import { checkLanguage } from '@ravi/support';
import { runScriptOfCall } from '../chain/call-script.ts';
import type { ScriptToolOptions } from '../chain/call-script.ts';
import { checkSnippetTools } from './check-snippet-tools.ts';

/** Options of {@link createSnippetTool}. */
export interface SnippetToolOptions extends ScriptToolOptions {
  /**
   * Reaction to a tool that has changed since the snippet was saved: do not run and report it to the model (`refuse`, when
   * absent), or run and report it (`warn`). A tool that is gone is always refused.
   */
  readonly onChangedTool?: 'refuse' | 'warn';
}

const noInput = { type: 'object', properties: {}, additionalProperties: false } as const;

/**
 * Creates a tool from a snippet. Its arguments are the script's `input`. Each of its calls passes every gate of the
 * invoker, in a session below its own in which only its declared tools may be called. Scripts cannot call it: a script
 * never starts another script.
 * @throws KernelError `E_UNSUPPORTED` for a language that the sandbox does not run
 */
export function createSnippetTool(
  snippet: Snippet,
  options: SnippetToolOptions,
): Tool & { readonly [notCallableFromChain]: true } {
  const { name, version, language, code, inputSchema = noInput } = snippet;
  const { invoker, sandbox, onChangedTool = 'refuse' } = options;
  checkLanguage(sandbox, language);
  return {
    name,
    description: `${snippet.description}\n(Snippet, version ${version}.)`,
    inputSchema,
    // Risk is checked for each call of the script.
    risk: 'safe',
    runAfterResponse: true,
    managesOwnTimeout: true,
    allowedCallers: ['direct'],
    documentation: () => documentationOf(snippet),
    [notCallableFromChain]: true,
    async execute(input, context) {
      checkPrincipal(snippet, context);
      const change = checkSnippetTools(snippet, invoker.registry, { onChangedTool });
      const allowedTools = snippet.tools.map((tool) => tool.name);
      const result = await runScriptOfCall(options, context, { code, language, input, allowedTools });
      context.check();
      const warning = change === undefined ? [] : [textBlock(`Note: ${change}`)];
      return { content: [...warning, ...result.outputBlocks], isError: result.status !== 'ok' };
    },
  };
}

function checkPrincipal({ name, principal }: Snippet, context: ToolContext): void {
  if (context.principal === principal) return;
  throw new KernelError('E_TOOL_NOT_ALLOWED', `The snippet ${name} belongs to another principal`);
}

function documentationOf({ code, language, tools, createdAt, sourceRunId }: Snippet): string {
  const names = tools.map((tool) => tool.name).join(', ') || 'no tools';
  const saved = new Date(createdAt).toISOString();
  return `Saved ${saved} from the run ${sourceRunId}. It calls ${names}.\n\n\`\`\`${language === 'python' ? 'python' : 'ts'}\n${code.trim()}\n\`\`\``;
}
