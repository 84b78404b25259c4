import type { JsonObject, ModelRequest, ModelWarning, ToolSpec } from '@ravi/kernel';
import { chosenNames } from '@ravi/provider-kit';
import type { PreparedTools } from '@ravi/provider-kit';
import type { ModelTraits } from './model-traits.ts';
import { interfaceOf } from './wire-settings.ts';
import type { WireSettings } from './wire-settings.ts';

/** Prepared and encoded tools of a request. */
export interface DeclaredTools {
  readonly prepared: PreparedTools;
  readonly tools: readonly JsonObject[];
}

/** Declares tools: ours as functions, Google's own by their specs. */
export function declareTools(
  request: ModelRequest,
  settings: WireSettings,
  traits: ModelTraits,
  warnings: ModelWarning[],
): DeclaredTools {
  const drop = (tool: string, why: string): void => {
    warnings.push({ code: 'tool-dropped', tool, message: `Tool ${tool} is not offered: ${why}` });
  };
  const callable = request.tools.filter((tool) => {
    if (tool.type === 'provider' || tool.allowedCallers?.includes('direct') !== false) return true;
    drop(tool.name, 'only scripts may call it, and this provider runs no scripts');
    return false;
  });
  const hasFunctions = callable.some(({ type }) => type === 'function');
  const offered = callable.filter((tool) => {
    if (!hasFunctions || traits.mixes || !isHosted(tool, settings)) return true;
    drop(tool.name, 'this model does not support Google-hosted tools together with functions');
    return false;
  });
  const prepared = settings.prepareTools(offered, interfaceOf(settings));
  warnings.push(...prepared.warnings);
  const key = settings.schemas === 'json' ? 'parametersJsonSchema' : 'parameters';
  const functionDeclarations = prepared.functions.map(({ spec, wireName, parameters }): JsonObject => ({
    name: wireName,
    description: spec.description,
    // The older dialect does not allow an object without properties.
    ...(key === 'parameters' && !('properties' in parameters) ? {} : { [key]: parameters as JsonObject }),
  }));
  const tools = prepared.native.map(({ spec }) => spec);
  return { prepared, tools: functionDeclarations.length === 0 ? tools : [{ functionDeclarations }, ...tools] };
}

/** Returns true if Google runs the tool; we execute provider-defined tools like functions. */
function isHosted(tool: ToolSpec, settings: WireSettings): boolean {
  return tool.type === 'provider' && tool.provider === interfaceOf(settings) && tool.callTypes === undefined;
}

/** Returns the tool choice, and whether responses include hosted calls, which is required together with functions. */
export function toolConfig(
  request: ModelRequest,
  settings: WireSettings,
  { prepared, tools }: DeclaredTools,
  warnings: ModelWarning[],
): JsonObject | undefined {
  if (tools.length === 0) return undefined;
  const { functions, native } = prepared;
  const isMixed = functions.length > 0 && native.some((spec) => isHosted(spec, settings));
  // Vertex AI mixes hosted tools and functions too, but does not report hosted calls.
  const isReported = isMixed && !settings.isVertex;
  const choice =
    functions.length === 0
      ? undefined
      : callingConfig(request, isFree(settings, prepared) && !isReported, prepared, warnings);
  if (request.parallelToolCalls === false) {
    warnings.push({ code: 'option-ignored', message: 'Gemini cannot disable parallel calls' });
  }
  if (choice === undefined && !isReported) return undefined;
  return {
    ...(choice === undefined ? {} : { functionCallingConfig: choice }),
    ...(isReported ? { includeServerSideToolInvocations: true } : {}),
  };
}

/** Returns true if calls need not match their schemas. */
function isFree({ strict }: WireSettings, { functions }: PreparedTools): boolean {
  return strict === 'never' || (strict === 'auto' && functions.every(({ spec }) => spec.strict !== true));
}

/**
 * Returns the function calling mode.
 * @param mayBeAuto false with hosted tools, where calls must match their schemas: mio-chat-backend#30
 */
function callingConfig(
  request: ModelRequest,
  mayBeAuto: boolean,
  prepared: PreparedTools,
  warnings: ModelWarning[],
): JsonObject | undefined {
  switch (request.toolChoice) {
    case undefined:
      return mayBeAuto ? undefined : { mode: 'VALIDATED' };
    case 'auto':
      return { mode: mayBeAuto ? 'AUTO' : 'VALIDATED' };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    default: {
      const chosen = new Set(chosenNames(request, prepared, warnings));
      const names = prepared.functions.filter(({ spec }) => chosen.has(spec.name)).map(({ wireName }) => wireName);
      if (names.length === chosen.size) {
        return names.length === 0 ? undefined : { mode: 'ANY', allowedFunctionNames: names };
      }
      warnings.push({
        code: 'option-ignored',
        message: 'Gemini can only require functions, not Google’s own tools',
      });
      return undefined;
    }
  }
}
