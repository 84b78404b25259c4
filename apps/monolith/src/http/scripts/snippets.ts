import { createArgumentCheck } from '@ravi/invoker';
import type { Toolbox } from '@ravi/invoker';
import { checkSnippetTools, saveSnippet } from '@ravi/capabilities';
import type { SaveSnippetOptions } from '@ravi/capabilities';
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
import { maxScriptBodyBytes, scriptOf, scriptProperties } from './script-request.ts';
import { streamQuery } from './chains.ts';
import type { ScriptRunner } from './chains.ts';
import { findRun } from '../../access/find-run.ts';
import { listAnswer } from '../core/operation.ts';
import type { ApiRequest, Operation } from '../core/operation.ts';
import { problem } from '../core/problem.ts';

const { code, language, policy } = scriptProperties;
const input = { type: 'object', description: 'What the script finds in "input".' } as const;
const version = { type: 'integer', minimum: 1, description: 'The newest when absent.' } as const;

/** Services of {@link snippetOperations}. */
export interface SnippetServices {
  readonly snippetStore: SnippetStore;
  readonly snippetTools: SnippetTools;
  readonly toolbox: Toolbox;
  readonly policy: ChainPolicy;
  readonly durable: DurableServices;
  readonly runScript: ScriptRunner;
  readonly clock: Clock;
}

/** Scripts that ran well and were saved, each principal's own. */
export function snippetOperations(services: SnippetServices): readonly Operation[] {
  const {
    snippetStore: store,
    snippetTools,
    toolbox: registry,
    policy: serverPolicy,
    durable,
    runScript,
    clock,
  } = services;
  const checkArguments = createArgumentCheck();
  const path = '/v1/snippets/{name}';

  async function find({ caller, params: { name = '' }, query }: ApiRequest): Promise<Snippet> {
    const wanted = query['version'] as number | undefined;
    const snippet = await store.get(caller.principal, name, wanted);
    if (snippet !== undefined) return snippet;
    throw problem('E_SNIPPET_UNKNOWN', `There is no snippet "${name}"${wanted === undefined ? '' : ` ${wanted}`}`);
  }

  /** The script of a run that has ended, or of one that is made for it. */
  async function scriptToSave(
    request: ApiRequest,
  ): Promise<Pick<SaveSnippetOptions, 'code' | 'run' | 'runId' | 'language'>> {
    const { body, caller } = request;
    if ((body['runId'] === undefined) === (body['code'] === undefined)) {
      throw problem('E_REQUEST_INVALID', 'Give either "runId" or "code"');
    }
    if (body['runId'] === undefined) {
      const script = { ...scriptOf(body, serverPolicy), ...inputOf(body) };
      const run = await durable.chains.start({ ...script, principal: caller.principal, approvals: 'wait' });
      return { ...languageOf(script), code: script.code, run, runId: run.runId };
    }
    const { id: runId, definition, outcome } = await findRun(durable.store.runs, request, body['runId'] as string);
    if (definition.code === undefined || outcome?.result === undefined) {
      throw problem('E_SNIPPET_INVALID', `The run "${runId}" is no script that has ended`);
    }
    return {
      ...languageOf(definition),
      code: definition.code,
      run: outcome.result as unknown as ChainRunResult,
      runId,
    };
  }

  return [
    {
      method: 'get',
      path: '/v1/snippets',
      summary: "List the caller's snippets.",
      async answer({ caller: { principal } }) {
        const entries = await store.list(principal);
        const snippets = await Promise.all(entries.map((entry) => describe(principal, entry)));
        return listAnswer(snippets);
      },
    },
    {
      method: 'get',
      path,
      summary: 'A snippet with its code, and which versions there are.',
      query: { version },
      async answer(request) {
        const snippet = await find(request);
        return { ...snippet, versions: await store.versions(snippet.principal, snippet.name) };
      },
    },
    {
      method: 'put',
      path,
      summary: 'Save a script that ran well, from its run or by running it now, as the next version.',
      role: 'run',
      maxBodyBytes: maxScriptBodyBytes(serverPolicy),
      body: {
        type: 'object',
        required: ['description'],
        additionalProperties: false,
        properties: {
          description: { type: 'string', minLength: 1, maxLength: 10_000, description: 'What it does.' },
          runId: { type: 'string', minLength: 1, maxLength: 100, description: 'A script that ran well.' },
          inputSchema: { type: 'object', description: 'JSON Schema of its input.' },
          code,
          language,
          policy,
          input,
        },
      },
      async answer(request) {
        const { body, caller, params } = request;
        const { name = '' } = params;
        const { description, inputSchema } = body as {
          readonly description: string;
          readonly inputSchema?: JsonSchema;
        };
        const snippet = await saveSnippet({
          ...(await scriptToSave(request)),
          ...(inputSchema === undefined ? {} : { inputSchema }),
          principal: caller.principal,
          store,
          registry,
          name,
          description,
          clock,
        });
        snippetTools.offer(snippet);
        return Response.json(snippet, { status: 201, headers: { location: `/v1/snippets/${name}` } });
      },
    },
    {
      method: 'delete',
      path,
      summary: 'Delete a snippet with all its versions.',
      role: 'run',
      async answer(request) {
        const { principal, name } = await find(request);
        await store.delete(principal, name);
        snippetTools.withdraw(principal, name);
        return new Response(null, { status: 204 });
      },
    },
    {
      method: 'post',
      path: `${path}/run`,
      summary: 'Run a snippet and wait for its result, or follow its events.',
      role: 'run',
      query: { ...streamQuery, version },
      body: { type: 'object', additionalProperties: false, properties: { input, policy } },
      async answer(request) {
        const snippet = await find(request);
        checkSnippetTools(snippet, registry);
        const { input: given = {} } = request.body;
        const mistake = checkArguments(snippet.inputSchema ?? noInput, given);
        if (mistake !== undefined)
          throw problem('E_ARGUMENTS_INVALID', `Invalid input for ${snippet.name}: ${mistake}`);
        const script = scriptOf({ ...request.body, code: snippet.code, language: snippet.language }, serverPolicy);
        const allowedTools = snippet.tools.map((tool) => tool.name);
        return runScript({ ...script, input: given as JsonObject, allowedTools }, request);
      },
    },
  ];

  async function describe(
    principal: Principal,
    { name, version: newest }: { name: string; version: number },
  ): Promise<JsonObject> {
    const snippet = await store.get(principal, name, newest).catch(() => undefined);
    if (snippet === undefined) return { name, version: newest, isDamaged: true };
    const { description, language: written, createdAt, tools } = snippet;
    return { name, version: newest, description, language: written, createdAt, tools: tools.map((tool) => tool.name) };
  }
}

const noInput: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

function inputOf({ input: given }: JsonObject): { readonly input?: JsonObject } {
  return given === undefined ? {} : { input: given as JsonObject };
}

function languageOf({ language: written }: { readonly language?: SandboxLanguage }): {
  readonly language?: SandboxLanguage;
} {
  return written === undefined ? {} : { language: written };
}
