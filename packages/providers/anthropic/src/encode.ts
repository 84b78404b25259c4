import type { JsonObject, ModelRequest, ModelWarning } from '@ravi/kernel';
import { responseSchema, callIdsOf, schemaInPromptWarning, withOptions, withSchemaInPrompt } from '@ravi/provider-kit';
import { withCacheMarks } from './cache.ts';
import { continuesWithoutThinking, wireConversation } from './messages.ts';
import { traitsOf } from './model-traits.ts';
import type { ModelTraits } from './model-traits.ts';
import { sampling, thinkingFor } from './reasoning.ts';
import { anthropicStrictRules } from './strict-rules.ts';
import { declareTools, pastTools, toolChoice } from './tools.ts';
import type { DeclaredTools } from './tools.ts';
import { sourceOf } from './wire-settings.ts';
import type { MessagesRequest, WireContext, WireSettings } from './wire-settings.ts';

/** Encodes a request to the Messages API. Pure: the same request and settings give the same body. */
export function encodeMessages(request: ModelRequest, settings: WireSettings): MessagesRequest {
  const { id, stream, cache, apiVersion } = settings;
  const model = request.model ?? settings.model;
  const traits = traitsOf(model);
  const source = sourceOf(settings, request);
  const warnings: ModelWarning[] = [];
  const tools = declareTools(request, settings, traits, warnings);
  const needsSignatures = traits.isClaude;
  const conversation = wireConversation(request.messages, { source, needsSignatures, tools, warnings });
  const { thinking, effort, maxTokens } = thinkingFor(request, traits, warnings);
  const isStopped = thinking?.['type'] === 'enabled' && continuesWithoutThinking(conversation.messages);
  if (isStopped) {
    const message = 'Thinking is off for this request, because the response that it continues started without thinking';
    warnings.push({ code: 'option-ignored', message });
  }
  const isThinking = thinking !== undefined && !isStopped && thinking['type'] !== 'disabled';
  const offered = tools.declared.length > 0 ? tools.declared : pastTools(conversation.messages);
  const { format, system } = outputFormat(request, traits, warnings);
  const parts = withCacheMarks({ tools: offered, system, messages: conversation.messages }, cache);
  const body = {
    model,
    max_tokens: maxTokens,
    system: parts.system,
    messages: parts.messages,
    tools: offered.length === 0 ? undefined : parts.tools,
    tool_choice: choiceOf(request, tools, offered, isThinking, warnings),
    thinking: isStopped ? undefined : thinking,
    output_config: format === undefined && effort === undefined ? undefined : withoutAbsent({ effort, format }),
    ...sampling(request, traits, apiVersion, isThinking, warnings),
    metadata: metadataOf(request, warnings),
    container: conversation.container,
    stream: stream ? true : undefined,
  };
  const { betas = [], ...whole } = withOptions(body, request, id);
  return {
    body: whole,
    warnings,
    betas: [...new Set([...tools.betas, ...(betas as readonly string[])])],
    context: contextOf(request, tools, source),
  };
}

function choiceOf(
  request: ModelRequest,
  tools: DeclaredTools,
  offered: readonly JsonObject[],
  isThinking: boolean,
  warnings: ModelWarning[],
): JsonObject | undefined {
  if (tools.declared.length > 0) return toolChoice(request, tools, isThinking, warnings);
  return offered.length > 0 ? { type: 'none' } : undefined;
}

/** Returns the output format, enforced if model and schema allow it, otherwise as part of the system prompt. */
function outputFormat(
  { output, system }: ModelRequest,
  { schemas }: ModelTraits,
  warnings: ModelWarning[],
): { readonly format?: JsonObject; readonly system: string | undefined } {
  if (output === undefined) return { system };
  const prepared = responseSchema(output.schema, anthropicStrictRules);
  if ('refused' in prepared) warnings.push(schemaInPromptWarning());
  if (!schemas || 'refused' in prepared || !prepared.strict)
    return { system: withSchemaInPrompt(system, output.schema) };
  return { format: { type: 'json_schema', schema: prepared.schema }, system };
}

function metadataOf({ metadata }: ModelRequest, warnings: ModelWarning[]): JsonObject | undefined {
  if (metadata === undefined) return undefined;
  const { user_id: userId, ...others } = metadata;
  const ignored = Object.keys(others);
  if (ignored.length > 0) {
    const message = `Only user_id of the metadata is sent, not ${ignored.join(', ')}`;
    warnings.push({ code: 'option-ignored', message });
  }
  return userId === undefined ? undefined : { user_id: userId };
}

function withoutAbsent(fields: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}

function contextOf(request: ModelRequest, { prepared, natives }: DeclaredTools, source: string): WireContext {
  const byWireName = new Map(natives.map((native) => [native.wireName, native]));
  return {
    usedIds: callIdsOf(request.messages),
    source,
    nativeTool: (wireName) => byWireName.get(wireName),
    nameOf: (wireName) => byWireName.get(wireName)?.name ?? prepared.names.fromWire(wireName),
    restoreArguments: (name, args) => prepared.restoreArguments(name, args),
  };
}
