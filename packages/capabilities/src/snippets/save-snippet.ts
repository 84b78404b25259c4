import { isLocalTool, KernelError, systemClock } from '@ravi/kernel';
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
import { definitionDigest } from './check-snippet-tools.ts';

/** A script that ran, and what it shall be called. */
export interface SaveSnippetOptions {
  readonly store: SnippetStore;
  /** The tools that the script ran with. */
  readonly registry: ToolRegistry;
  /** What the model calls it; no other tool may have that name. */
  readonly name: string;
  /** What it does, for the model. */
  readonly description: string;
  /** The source as it ran. */
  readonly code: string;
  /** `javascript`, TypeScript included, when absent. */
  readonly language?: SandboxLanguage;
  /** Of the object that the script finds in `input`, when it takes one. */
  readonly inputSchema?: JsonSchema;
  /** How the run ended; it must have gone well. */
  readonly run: ChainRunResult;
  readonly runId: string;
  /** `local` when absent. */
  readonly principal?: Principal;
  readonly clock?: Pick<Clock, 'now'>;
}

/**
 * Saves a script that ran well as the next version of a snippet. The tools that it called become the only ones that it
 * may ever call.
 * @throws KernelError `E_SNIPPET_INVALID`, `E_TOOL_NAME_CONFLICT`, `E_SNIPPET_UNAVAILABLE`
 */
export async function saveSnippet(options: SaveSnippetOptions): Promise<Snippet> {
  const { store, registry, name, description, code, inputSchema, run, runId, principal = 'local' } = options;
  if (run.status !== 'ok') {
    const why = run.error === undefined ? '' : ` (${run.error.code})`;
    throw new KernelError(
      'E_SNIPPET_INVALID',
      `Only a script that ran well is saved; this one ended as ${run.status}${why}`,
    );
  }
  if (registry.get(name) !== undefined && (await store.versions(principal, name)).length === 0) {
    throw new KernelError(
      'E_TOOL_NAME_CONFLICT',
      `There is a tool named ${name} already; give the snippet another name`,
    );
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

function calledTools(run: ChainRunResult, registry: ToolRegistry): readonly SnippetTool[] {
  const names = [...new Set(run.callTrace.map((record) => record.tool))].toSorted();
  return names.flatMap((name) => {
    const tool = registry.get(name);
    // A script may have gone on after it called what is no tool.
    return tool !== undefined && isLocalTool(tool) ? [{ name, digest: definitionDigest(tool) }] : [];
  });
}
