import { api } from '@ravi/api';
import type { BodyOf, SnippetSummary } from '@ravi/api';
import { createArgumentCheck } from '@ravi/invoker';
import type { CallerAccess, Toolbox } from '@ravi/invoker';
import { checkSnippetTools, knownTools, saveSnippet } from '@ravi/capabilities';
import type { SaveSnippetOptions } from '@ravi/capabilities';
import { isKernelError } from '@ravi/kernel';
import type {
  ChainPolicy,
  ChainRunResult,
  Clock,
  JsonObject,
  JsonSchema,
  Principal,
  SandboxLanguage,
  Snippet,
  SnippetStore,
} from '@ravi/kernel';
import type { DurableServices } from '../../runs/durable-services.ts';
import type { SnippetTools } from '../../tools/snippet-tools.ts';
import { nameSuspendedRun, newRunId } from './name-suspended-run.ts';
import { maxScriptBodyBytes, scriptOf } from './script-request.ts';
import type { ScriptRunner } from './chains.ts';
import { findRun } from '../access/caller.ts';
import { implement, listOf, Reply } from '../core/implement.ts';
import type { ApiRequest, Endpoint } from '../core/implement.ts';
import { problem } from '../core/problem.ts';

/** Services of {@link snippetOperations}. */
export interface SnippetServices {
  readonly snippetStore: SnippetStore;
  readonly snippetTools: SnippetTools;
  readonly toolbox: Toolbox;
  readonly toolAccess: CallerAccess;
  readonly policy: ChainPolicy;
  readonly durable: DurableServices;
  readonly runScript: ScriptRunner;
  readonly clock: Clock;
}

/** Implements the operations on snippets: scripts that a principal saved after they succeeded. */
export function snippetOperations(services: SnippetServices): readonly Endpoint[] {
  const {
    snippetStore: store,
    snippetTools,
    toolbox: registry,
    toolAccess,
    policy: serverPolicy,
    durable,
    runScript,
    clock,
  } = services;
  const checkArguments = createArgumentCheck();

  function checkInput(name: string, schema: JsonSchema, input: JsonObject): string | undefined {
    try {
      return checkArguments(schema, input);
    } catch (error) {
      if (!isKernelError(error, 'E_TOOL_INVALID')) throw error;
      throw problem('E_SNIPPET_INVALID', `The input of "${name}" cannot be checked. ${error.message}`);
    }
  }

  async function find(
    { caller, params: { name } }: Pick<ApiRequest<typeof api.snippets.get>, 'caller' | 'params'>,
    wanted?: number,
  ): Promise<Snippet> {
    const snippet = await store.get(caller.principal, name, wanted);
    if (snippet !== undefined) return snippet;
    throw problem('E_SNIPPET_UNKNOWN', `There is no snippet "${name}"${wanted === undefined ? '' : ` ${wanted}`}`);
  }

  /** Returns the script of an ended run, or runs the given code first. */
  async function scriptToSave(
    request: ApiRequest<typeof api.snippets.save>,
  ): Promise<Pick<SaveSnippetOptions, 'code' | 'run' | 'runId' | 'language'>> {
    const { body, caller } = request;
    const { code, runId: known } = body;
    if ((known === undefined) === (code === undefined)) {
      throw problem('E_REQUEST_INVALID', 'Give either "runId" or "code"');
    }
    if (known === undefined) {
      const script = { ...scriptOf({ ...body, code: code ?? '' }, serverPolicy), ...inputOf(body) };
      const runId = newRunId();
      await durable.pausedRuns.check(caller.principal);
      const started = durable.chains.start({ ...script, runId, principal: caller.principal, approvals: 'wait' });
      const run = await nameSuspendedRun(durable.store.runs, runId, started);
      return { ...languageOf(script), code: script.code, run, runId: run.runId };
    }
    const { id: runId, definition, outcome } = await findRun(durable.store.runs, request, known);
    if (definition.code === undefined || outcome?.result === undefined) {
      throw problem('E_SNIPPET_INVALID', `Run "${runId}" is not a script that has ended`);
    }
    return {
      ...languageOf(definition),
      code: definition.code,
      run: outcome.result as unknown as ChainRunResult,
      runId,
    };
  }

  return [
    implement(api.snippets.list, async ({ caller: { principal } }) => {
      const entries = await store.list(principal);
      return listOf(await Promise.all(entries.map((entry) => describe(principal, entry))));
    }),
    implement(api.snippets.get, async (request) => {
      const snippet = await find(request, request.query.version);
      return { ...snippet, versions: await store.versions(snippet.principal, snippet.name) };
    }),
    implement(
      api.snippets.save,
      async (request) => {
        const { name } = request.params;
        const { description, inputSchema } = request.body;
        const { principal } = request.caller;
        if (inputSchema !== undefined) checkInput(name, inputSchema, {});
        const snippet = await saveSnippet({
          ...(await scriptToSave(request)),
          ...(inputSchema === undefined ? {} : { inputSchema }),
          principal,
          store,
          // The name of a tool that is hidden from the caller is free for it; a snippet that becomes a tool needs a name of its own.
          registry: snippetTools.offers(principal)
            ? registry
            : knownTools(registry, { callerFilters: toolAccess.toolsOf(principal) }),
          name,
          description,
          clock,
        });
        snippetTools.offer(snippet);
        return new Reply(201, snippet, { location: `/v1/snippets/${name}` });
      },
      { maxBodyBytes: maxScriptBodyBytes(serverPolicy) },
    ),
    implement(api.snippets.delete, async (request) => {
      const { principal, name } = await find(request);
      await store.delete(principal, name);
      snippetTools.withdraw(principal, name);
      return new Reply(204, undefined);
    }),
    implement(api.snippets.run, async (request) => {
      const snippet = await find(request, request.query.version);
      checkSnippetTools(snippet, registry);
      const { input = {} } = request.body;
      const mistake = checkInput(snippet.name, snippet.inputSchema ?? noInput, input);
      if (mistake !== undefined) {
        throw problem('E_ARGUMENTS_INVALID', `Invalid input for ${snippet.name}: ${mistake}`);
      }
      const script = scriptOf({ ...request.body, code: snippet.code, language: snippet.language }, serverPolicy);
      const allowedTools = snippet.tools.map((tool) => tool.name);
      return runScript({ ...script, input, allowedTools }, request);
    }),
  ];

  async function describe(
    principal: Principal,
    { name, version: newest }: { name: string; version: number },
  ): Promise<SnippetSummary> {
    const snippet = await store.get(principal, name, newest).catch(() => undefined);
    if (snippet === undefined) return { name, version: newest, isDamaged: true };
    const { description, language: written, createdAt, tools } = snippet;
    return { name, version: newest, description, language: written, createdAt, tools: tools.map((tool) => tool.name) };
  }
}

const noInput: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

function inputOf({ input }: BodyOf<typeof api.snippets.save>): { readonly input?: JsonObject } {
  return input === undefined ? {} : { input };
}

function languageOf({ language: written }: { readonly language?: SandboxLanguage }): {
  readonly language?: SandboxLanguage;
} {
  return written === undefined ? {} : { language: written };
}
