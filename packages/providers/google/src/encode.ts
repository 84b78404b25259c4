import type { JsonObject, ModelRequest, ModelWarning } from '@ravi/kernel';
import { createIdMap, withOptions, withSchemaInPrompt } from '@ravi/provider-kit';
import type { WireRequest } from '@ravi/provider-kit';
import { contentsOf } from './contents.ts';
import { outputFormat, generationConfig } from './generation-config.ts';
import { traitsOf } from './model-traits.ts';
import { declareTools, toolConfig } from './tools.ts';
import { contextOf, sourceOf } from './wire-settings.ts';
import type { WireContext, WireSettings } from './wire-settings.ts';

/**
 * Encodes a request to generateContent or streamGenerateContent. Pure: the same request and settings give the same
 * body.
 */
export function encodeGemini(request: ModelRequest, settings: WireSettings): WireRequest<WireContext> {
  const { id, isVertex } = settings;
  const traits = traitsOf(request.model ?? settings.model);
  const source = sourceOf(settings, request);
  const warnings: ModelWarning[] = [];
  const declared = declareTools(request, settings, traits, warnings);
  const { prepared, tools } = declared;
  const format = outputFormat(request, traits, warnings);
  const system = systemText(request, format);
  if (request.metadata !== undefined && !isVertex) {
    warnings.push({ code: 'option-ignored', message: 'The Gemini API does not support metadata' });
  }
  const conversation = { source, traits, names: prepared.names, warnings, idOf: createIdMap() };
  const body = {
    contents: contentsOf(request.messages, conversation),
    systemInstruction: system === '' ? undefined : { parts: [{ text: system }] },
    tools: tools.length === 0 ? undefined : tools,
    toolConfig: toolConfig(request, settings, declared, warnings),
    generationConfig: generationConfig(request, traits, format, warnings),
    labels: isVertex ? request.metadata : undefined,
  };
  return { body: withOptions(body, request, id), warnings, context: contextOf(request, prepared, source) };
}

function systemText({ system = '', output }: ModelRequest, format: JsonObject | undefined): string {
  return output === undefined || format !== undefined ? system : withSchemaInPrompt(system, output.schema);
}
