import type { JsonObject, JsonValue, ModelReasoning, ModelRequest, ModelSampling, ModelWarning } from '@ravi/kernel';
import {
  responseSchemaName,
  responseSchema,
  chosenNames,
  schemaInPromptWarning,
  withOptions,
  withSchemaInPrompt,
} from '@ravi/provider-kit';
import type { PreparedTools, WireRequest } from '@ravi/provider-kit';
import { ownFunctions } from '../encoding.ts';
import { contextOf, interfaceOf, sourceOf } from '../wire-settings.ts';
import type { WireContext, WireSettings } from '../wire-settings.ts';
import { inputItems } from './input.ts';

/** Encodes a request to the Responses API. Pure: the same request and settings give the same body. */
export function encodeResponses(request: ModelRequest, settings: WireSettings): WireRequest<WireContext> {
  const { id, dialect, store, stream } = settings;
  const source = sourceOf(settings, 'responses', request);
  const prepared = settings.prepareTools(request.tools, interfaceOf(settings, 'responses'));
  const warnings = [...prepared.warnings];
  const tools = { ...prepared, functions: ownFunctions(prepared, warnings) };
  const declared = toolDeclarations(tools, warnings);
  const input = inputItems(request.messages, settings, source, tools, warnings);
  const { format, instructions } = outputFormat(request, settings, warnings);
  const model = request.model ?? settings.model;
  const body = {
    model,
    instructions,
    input,
    tools: declared.length === 0 ? undefined : declared,
    tool_choice: declared.length === 0 ? undefined : toolChoice(request, tools, warnings),
    parallel_tool_calls: declared.length === 0 ? undefined : request.parallelToolCalls,
    max_output_tokens: request.maxOutputTokens,
    ...sampling(request.sampling, warnings),
    reasoning: reasoning(request.reasoning, warnings),
    text: format === undefined ? undefined : { format },
    metadata: request.metadata,
    store: dialect.name === 'openai' ? store : undefined,
    // Always requested, because the server may no longer have what it stored.
    include: dialect.name === 'openai' && thinks(model) ? ['reasoning.encrypted_content'] : undefined,
    stream: stream ? true : undefined,
  };
  return { body: withOptions(body, request, id), warnings, context: contextOf(request, tools, source) };
}

/** Returns false for models without reasoning, which reject a request for encrypted reasoning. */
function thinks(model: string): boolean {
  return !/^(gpt-[34]|chatgpt-4|ft:gpt-[34])/u.test(model);
}

function toolDeclarations({ functions, native }: PreparedTools, warnings: ModelWarning[]): JsonObject[] {
  const isOffered = (type: string): boolean => native.some(({ spec }) => spec['type'] === type);
  const hasScripts = isOffered('programmatic_tool_calling');
  const hasSearch = isOffered('tool_search');
  const declared = functions.flatMap(({ spec, wireName, parameters, strict }): JsonObject[] => {
    const callers = spec.allowedCallers ?? ['direct', 'chain'];
    if (!hasScripts && !callers.includes('direct')) {
      const message = `Tool ${spec.name} is not offered: only scripts may call it, and this provider runs no scripts`;
      warnings.push({ code: 'tool-dropped', tool: spec.name, message });
      return [];
    }
    const scripted = spec.allowedCallers !== undefined && hasScripts;
    return [
      {
        type: 'function',
        name: wireName,
        description: spec.description,
        parameters: parameters as JsonObject,
        // Without `strict` the API tries strict mode.
        strict,
        ...(spec.lazySchema === true && hasSearch ? { defer_loading: true } : {}),
        ...(scripted
          ? { allowed_callers: callers.map((caller) => (caller === 'chain' ? 'programmatic' : caller)) }
          : {}),
        ...(scripted && spec.outputSchema !== undefined ? { output_schema: spec.outputSchema as JsonObject } : {}),
      },
    ];
  });
  return [...declared, ...native.map(({ spec }) => spec)];
}

function toolChoice(
  request: ModelRequest,
  tools: PreparedTools,
  warnings: ModelWarning[],
): JsonObject | string | undefined {
  if (typeof request.toolChoice === 'string') return request.toolChoice;
  const names = chosenNames(request, tools, warnings);
  if (names === undefined || names.length === 0) return undefined;
  const chosen = names.map((name): JsonObject => {
    const native = tools.native.find((tool) => tool.name === name);
    if (native === undefined) return { type: 'function', name: tools.names.toWire(name) };
    const { type, name: nativeName, server_label: label } = native.spec;
    return {
      type: type ?? '',
      ...(typeof nativeName === 'string' ? { name: nativeName } : {}),
      ...(typeof label === 'string' ? { server_label: label } : {}),
    };
  });
  const [only] = chosen;
  if (chosen.length > 1 || only === undefined) return { type: 'allowed_tools', mode: 'required', tools: chosen };
  if (choosable.has(only['type'])) return only;
  const message = `Tool ${names.join()} cannot be required alone; any tool is required instead`;
  warnings.push({ code: 'option-ignored', message });
  return 'required';
}

/** Tool types that can be required alone. Source: `tool_choice` in the types of the npm package openai 7.55.0. */
const choosable: ReadonlySet<JsonValue | undefined> = new Set(
  (
    'function custom mcp apply_patch shell programmatic_tool_calling file_search web_search_preview computer ' +
    'computer_use_preview computer_use web_search_preview_2025_03_11 image_generation code_interpreter'
  ).split(' '),
);

function sampling(given: ModelSampling = {}, warnings: ModelWarning[]): Readonly<Record<string, unknown>> {
  const { temperature, topP, ...others } = given;
  for (const [name, value] of Object.entries(others)) {
    if (value === undefined) continue;
    warnings.push({ code: 'option-ignored', message: `The Responses API does not support ${name}` });
  }
  return { temperature, top_p: topP };
}

function reasoning(given: ModelReasoning | undefined, warnings: ModelWarning[]): JsonObject | undefined {
  if (given?.budgetTokens !== undefined) {
    warnings.push({ code: 'option-ignored', message: 'The Responses API does not support a reasoning budget' });
  }
  if (given?.effort === undefined && given?.summary !== true) return undefined;
  return {
    ...(given.effort === undefined ? {} : { effort: given.effort }),
    ...(given.summary === true ? { summary: 'auto' } : {}),
  };
}

/** Returns the output format. A schema that does not describe an object becomes part of the instructions. */
function outputFormat(
  { output, system }: ModelRequest,
  { dialect }: WireSettings,
  warnings: ModelWarning[],
): { readonly format?: JsonObject; readonly instructions: string | undefined } {
  if (output === undefined) return { instructions: system };
  const prepared = responseSchema(output.schema, dialect.strict);
  if ('refused' in prepared) {
    warnings.push(schemaInPromptWarning());
    return { instructions: withSchemaInPrompt(system, output.schema) };
  }
  const description = output.description === undefined ? {} : { description: output.description };
  const format = { type: 'json_schema', name: responseSchemaName(output), ...description, ...prepared };
  return { format, instructions: system };
}
