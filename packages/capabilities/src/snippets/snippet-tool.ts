import type { ToolInvoker } from '@ravi/invoker';
import { KernelError, notCallableFromChain, textBlock } from '@ravi/kernel';
import type { ChainPolicy, Sandbox, Snippet, Tool, ToolContext } from '@ravi/kernel';
import { runChain } from '../chain/run-chain.ts';
import type { Preflight } from '../preflight/preflight.ts';
import { sessionWithin } from '../chain/chain-tool.ts';
import { checkSnippetTools } from './check-snippet-tools.ts';

/** What a saved script runs with. */
export interface SnippetToolOptions {
  readonly invoker: ToolInvoker;
  readonly sandbox: Sandbox;
  readonly policy?: Partial<ChainPolicy>;
  /** As for any other script; `false` for no check. */
  readonly preflight?: Preflight | false;
  /**
   * What happens when a tool is defined otherwise than when the snippet was saved: nothing runs and the model is told
   * (`refuse`, when absent), or it runs and the model is told (`warn`). A tool that is gone is always refused.
   */
  readonly onChangedTool?: 'refuse' | 'warn';
}

const noInput = { type: 'object', properties: {}, additionalProperties: false } as const;

/**
 * A saved script as a tool for the model. Its arguments are the script's `input`. Every call that it makes passes the
 * invoker in a session below its own, in which only its declared tools may be called, and is judged anew. Scripts cannot
 * call it: what a script starts never starts another.
 * @throws KernelError `E_UNSUPPORTED` for a language that the sandbox does not run
 */
export function createSnippetTool(
  snippet: Snippet,
  options: SnippetToolOptions,
): Tool & { readonly [notCallableFromChain]: true } {
  const { name, version, language, code, inputSchema = noInput } = snippet;
  const { invoker, sandbox, policy, preflight, onChangedTool = 'refuse' } = options;
  const { languages } = sandbox.supports;
  if (!languages.includes(language)) {
    const message = `The snippet ${name} is in ${language}; the sandbox ${sandbox.name} runs ${languages.join(', ')}`;
    throw new KernelError('E_UNSUPPORTED', message);
  }
  return {
    name,
    description: `${snippet.description}\n(Saved script, version ${version}.)`,
    inputSchema,
    // The calls inside are judged one by one.
    risk: 'safe',
    runAfterResponse: true,
    managesOwnTimeout: true,
    allowedCallers: ['direct'],
    documentation: () => documentationOf(snippet),
    [notCallableFromChain]: true,
    async execute(input, context) {
      checkPrincipal(snippet, context);
      const change = checkSnippetTools(snippet, invoker.registry, { onChangedTool });
      const result = await runChain({
        code,
        language,
        input,
        invoker,
        sandbox,
        signal: context.signal,
        session: { ...sessionWithin(context), allowedTools: snippet.tools.map((tool) => tool.name) },
        ...(policy === undefined ? {} : { policy }),
        ...(preflight === undefined ? {} : { preflight }),
      });
      context.check();
      const warning = change === undefined ? [] : [textBlock(`Note: ${change}`)];
      return { content: [...warning, ...result.outputBlocks], isError: result.status !== 'ok' };
    },
  };
}

function checkPrincipal({ name, principal }: Snippet, context: ToolContext): void {
  if (context.principal === principal) return;
  throw new KernelError('E_TOOL_NOT_ALLOWED', `The saved script ${name} belongs to somebody else`);
}

function documentationOf({ code, language, tools, createdAt, sourceRunId }: Snippet): string {
  const names = tools.map((tool) => tool.name).join(', ') || 'no tools';
  const saved = new Date(createdAt).toISOString();
  return `Saved ${saved} from the run ${sourceRunId}. It calls ${names}.\n\n\`\`\`${language === 'python' ? 'python' : 'ts'}\n${code.trim()}\n\`\`\``;
}
