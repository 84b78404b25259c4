import { approveCallsTool, isLocalTool, KernelError, systemClock } from '@ravi/kernel';
import type {
  ChainRunResult,
  Clock,
  JsonSchema,
  Principal,
  SandboxLanguage,
  Snippet,
  SnippetStore,
  SnippetTool,
  ToolRegistry,
} from '@ravi/kernel';
import { definitionDigest } from '../declarations/tool-declarations.ts';

/** Options of {@link saveSnippet}. */
export interface SaveSnippetOptions {
  readonly store: SnippetStore;
  /** Registry of the tools that the script ran with. */
  readonly registry: Pick<ToolRegistry, 'get'>;
  /** Name of the tool for the model; no other tool may have it. */
  readonly name: string;
  /** Description for the model. */
  readonly description: string;
  /** Source of the script as it ran. */
  readonly code: string;
  /** `javascript`, which includes TypeScript, when absent. */
  readonly language?: SandboxLanguage;
  /** Schema of the script's `input`; absent if it takes none. */
  readonly inputSchema?: JsonSchema;
  /** Result of the run, which must have succeeded. */
  readonly run: ChainRunResult;
  readonly runId: string;
  /** `local` when absent. */
  readonly principal?: Principal;
  readonly clock?: Pick<Clock, 'now'>;
}

/**
 * Saves a script whose run succeeded as the next version of a snippet. From then on it may call only the tools that it
 * called in that run.
 * @throws KernelError `E_SNIPPET_INVALID`, `E_TOOL_NAME_CONFLICT`, `E_SNIPPET_UNAVAILABLE`
 */
export async function saveSnippet(options: SaveSnippetOptions): Promise<Snippet> {
  const { store, registry, name, description, code, inputSchema, run, runId, principal = 'local' } = options;
  if (run.status !== 'ok') {
    const why = run.error === undefined ? '' : ` (${run.error.code})`;
    throw new KernelError(
      'E_SNIPPET_INVALID',
      `Only a script whose run succeeded can be saved; this one ended as ${run.status}${why}`,
    );
  }
  const isReserved = name === approveCallsTool;
  if (isReserved || (registry.get(name) !== undefined && (await store.versions(principal, name)).length === 0)) {
    throw new KernelError('E_TOOL_NAME_CONFLICT', `A tool named ${name} already exists; give the snippet another name`);
  }
  return store.put({
    name,
    principal,
    description,
    code,
    language: options.language ?? 'javascript',
    ...(inputSchema === undefined ? {} : { inputSchema }),
    tools: calledTools(run, registry),
    createdAt: (options.clock ?? systemClock).now(),
    sourceRunId: runId,
  });
}

function calledTools(run: ChainRunResult, registry: Pick<ToolRegistry, 'get'>): readonly SnippetTool[] {
  // A tool that the operator hides from the caller does not exist for it either.
  const called = run.callTrace.filter(({ errorCode }) => errorCode !== 'E_TOOL_UNKNOWN');
  const names = [...new Set(called.map(({ tool }) => tool))].toSorted();
  return names.flatMap((name) => {
    const tool = registry.get(name);
    // The script may have continued after it called a name that is not a tool.
    return tool !== undefined && isLocalTool(tool) ? [{ name, digest: definitionDigest(tool) }] : [];
  });
}
