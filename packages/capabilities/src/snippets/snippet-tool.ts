import type { ToolInvoker } from '@ravi/agents';
import { isLocalTool, KernelError, notCallableFromChain, textBlock } from '@ravi/kernel';
import type { ChainPolicy, Sandbox, Snippet, Tool, ToolContext, ToolRegistry } from '@ravi/kernel';
import { runChain } from '../chain/run-chain.ts';
import type { Preflight } from '../preflight/preflight.ts';
import { sessionWithin } from '../chain/session-within.ts';
import { definitionDigest } from './definition-digest.ts';

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
    timeLimit: 'own',
    allowedCallers: ['direct'],
    documentation: () => documentationOf(snippet),
    [notCallableFromChain]: true,
    async execute(input, context) {
      checkPrincipal(snippet, context);
      const changes = changesSince(snippet, invoker.registry);
      const isFatal = changes.gone.length > 0 || (changes.changed.length > 0 && onChangedTool === 'refuse');
      if (isFatal) throw new KernelError('E_SNIPPET_OUTDATED', reportOf(snippet, changes));
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
      const warning = changes.changed.length === 0 ? [] : [textBlock(`Note: ${reportOf(snippet, changes)}`)];
      return { content: [...warning, ...result.outputBlocks], isError: result.status !== 'ok' };
    },
  };
}

interface ToolChanges {
  readonly gone: readonly string[];
  readonly changed: readonly string[];
}

function changesSince(snippet: Snippet, registry: ToolRegistry): ToolChanges {
  const gone: string[] = [];
  const changed: string[] = [];
  for (const { name, digest } of snippet.tools) {
    const tool = registry.get(name);
    if (tool === undefined || !isLocalTool(tool)) gone.push(name);
    else if (definitionDigest(tool) !== digest) changed.push(name);
  }
  return { gone, changed };
}

function reportOf({ name, version }: Snippet, { gone, changed }: ToolChanges): string {
  const parts = [...gone.map((tool) => `${tool} is gone`), ...changed.map((tool) => `${tool} is defined otherwise`)];
  return (
    `Version ${version} of the saved script ${name} was made for other tools: ${parts.join(', ')}. ` +
    'Check its code against the tools of today, and save a new version'
  );
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
