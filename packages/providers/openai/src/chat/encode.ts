import type { JsonObject, ModelRequest, ModelSampling, ModelWarning } from '@ravi/kernel';
import {
  responseSchemaName,
  responseSchema,
  chosenNames,
  schemaInPromptWarning,
  withOptions,
  withSchemaInPrompt,
} from '@ravi/provider-kit';
import type { PreparedTools, WireRequest } from '@ravi/provider-kit';
import { effortAt } from '../dialect.ts';
import type { Dialect } from '../dialect.ts';
import { ownFunctions } from '../encoding.ts';
import { contextOf, interfaceOf, sourceOf } from '../wire-settings.ts';
import type { WireContext, WireSettings } from '../wire-settings.ts';
import { chatMessages } from './messages.ts';

/** Encodes a request to the Chat Completions API. Pure: the same request and settings give the same body. */
export function encodeChat(request: ModelRequest, settings: WireSettings): WireRequest<WireContext> {
  const { id, dialect, stream } = settings;
  const source = sourceOf(settings, 'chat', request);
  const prepared = settings.prepareTools(request.tools, interfaceOf(settings, 'chat'));
  const warnings = [...prepared.warnings];
  const tools = { ...prepared, functions: ownFunctions(prepared, warnings) };
  const declared = toolDeclarations(tools, warnings);
  const hasTools = declared.length > 0;
  const choice = hasTools ? toolChoice(request, tools, warnings) : undefined;
  const thought = thinking(request, choice, dialect, warnings);
  const needsReasoning = (thought['thinking'] as JsonObject | undefined)?.['type'] === 'enabled';
  const messages = chatMessages(request.messages, { settings, source, tools, warnings, needsReasoning });
  const { format, system } = outputFormat(request, dialect, warnings);
  const body = {
    model: request.model ?? settings.model,
    messages: system === '' ? messages : [{ role: 'system', content: system }, ...messages],
    tools: hasTools ? declared : undefined,
    ...thought,
    parallel_tool_calls: hasTools ? request.parallelToolCalls : undefined,
    [dialect.maxTokensField]: request.maxOutputTokens,
    ...sampling(request.sampling, dialect, warnings),
    response_format: format,
    ...stored(request, settings, warnings),
    stream: stream ? true : undefined,
    stream_options: stream && dialect.streamUsage ? { include_usage: true } : undefined,
  };
  const whole = withOptions(body, request, id);
  const audioFormat = (whole['audio'] as { readonly format?: string } | undefined)?.format;
  return { body: whole, warnings, context: { ...contextOf(request, tools, source), audioFormat } };
}

function toolDeclarations({ functions, native }: PreparedTools, warnings: ModelWarning[]): JsonObject[] {
  const declared = functions.flatMap(({ spec, wireName, parameters, strict }): JsonObject[] => {
    if (spec.allowedCallers?.includes('direct') === false) {
      const message = `Tool ${spec.name} is not offered: only scripts may call it, and this provider runs no scripts`;
      warnings.push({ code: 'tool-dropped', tool: spec.name, message });
      return [];
    }
    const described = { name: wireName, description: spec.description, parameters: parameters as JsonObject };
    return [{ type: 'function', function: strict ? { ...described, strict } : described }];
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
  const [only] = names;
  if (names.length > 1 || only === undefined) {
    const message = `This server can require one tool or any tool; any tool is required instead of ${names.join(', ')}`;
    warnings.push({ code: 'option-ignored', message });
    return 'required';
  }
  const native = tools.native.find(({ name }) => name === only);
  if (native === undefined) return { type: 'function', function: { name: tools.names.toWire(only) } };
  const { custom } = native.spec as { readonly custom?: { readonly name?: string } };
  return custom === undefined ? 'required' : { type: 'custom', custom: { name: custom.name ?? only } };
}

/** Returns the reasoning fields and the tool choice, which one server does not accept together with thinking. */
function thinking(
  { reasoning }: ModelRequest,
  choice: JsonObject | string | undefined,
  dialect: Dialect,
  warnings: ModelWarning[],
): Readonly<Record<string, unknown>> {
  const isForced = choice !== undefined && choice !== 'auto' && choice !== 'none';
  const { effort, budgetTokens, summary } = reasoning ?? {};
  if (dialect.reasoning !== 'reasoning') ignored(budgetTokens, 'reasoning budget', warnings);
  ignored(summary === true ? summary : undefined, 'reasoning summary', warnings);
  switch (dialect.reasoning) {
    case 'reasoning':
      return { tool_choice: choice, reasoning: openRouterReasoning(reasoning) };
    case 'thinking': {
      if (effort === undefined) return { tool_choice: choice, thinking: isForced ? { type: 'disabled' } : undefined };
      if (effort === 'none') return { tool_choice: choice, thinking: { type: 'disabled' } };
      if (isForced) {
        warnings.push({
          code: 'option-ignored',
          message: 'Tool calls cannot be required while this model thinks',
        });
      }
      return { tool_choice: isForced ? undefined : choice, thinking: { type: 'enabled' }, reasoning_effort: effort };
    }
    case 'reasoning_effort':
      return { tool_choice: choice, reasoning_effort: effortAt(dialect, effort) };
    default:
      return { tool_choice: choice };
  }
}

function openRouterReasoning(reasoning: ModelRequest['reasoning']): JsonObject | undefined {
  if (reasoning?.budgetTokens !== undefined) return { max_tokens: reasoning.budgetTokens };
  return reasoning?.effort === undefined ? undefined : { effort: reasoning.effort };
}

function sampling(
  given: ModelSampling = {},
  dialect: Dialect,
  warnings: ModelWarning[],
): Readonly<Record<string, unknown>> {
  return {
    temperature: given.temperature,
    top_p: given.topP,
    top_k: dialect.topK ? given.topK : ignored(given.topK, 'topK', warnings),
    [dialect.seedField]: given.seed,
    presence_penalty: given.presencePenalty,
    frequency_penalty: given.frequencyPenalty,
    stop: given.stopSequences,
  };
}

/** Returns the fields for stored responses and their metadata. */
function stored(
  { metadata, providerOptions }: ModelRequest,
  { id, dialect, store }: WireSettings,
  warnings: ModelWarning[],
): Readonly<Record<string, unknown>> {
  if (dialect.metadata !== 'stored') {
    return { metadata: dialect.metadata ? metadata : ignored(metadata, 'metadata', warnings) };
  }
  const isStored = providerOptions?.[id]?.['store'] ?? store;
  if (isStored === true) return { store: true, metadata };
  if (metadata !== undefined) {
    warnings.push({
      code: 'option-ignored',
      message: 'Metadata is not sent, because OpenAI accepts it only for stored responses (store)',
    });
  }
  return {};
}

function ignored(value: unknown, name: string, warnings: ModelWarning[]): undefined {
  if (value !== undefined) warnings.push({ code: 'option-ignored', message: `This server does not support ${name}` });
  return undefined;
}

/** Returns the output format. A schema that cannot be sent as one becomes part of the system prompt. */
function outputFormat(
  { output, system = '' }: ModelRequest,
  dialect: Dialect,
  warnings: ModelWarning[],
): { readonly format?: JsonObject; readonly system: string } {
  if (output === undefined) return { system };
  const prepared = responseSchema(output.schema, dialect.strict);
  const prompt = withSchemaInPrompt(system, output.schema);
  if ('refused' in prepared) {
    warnings.push(schemaInPromptWarning());
    return { system: prompt };
  }
  if (!dialect.responseSchema) return { format: { type: 'json_object' }, system: prompt };
  const description = output.description === undefined ? {} : { description: output.description };
  return {
    format: { type: 'json_schema', json_schema: { name: responseSchemaName(output), ...description, ...prepared } },
    system,
  };
}
