import type { JsonObject, ModelRequest, ModelWarning, ToolSpec } from '@ravi/kernel';
import { chosenNames } from '@ravi/provider-kit';
import type { PreparedTools } from '@ravi/provider-kit';
import type { ModelTraits } from './model-traits.ts';
import type { WireSettings } from './wire-settings.ts';

/** The tools of a request, and how they go out. */
export interface DeclaredTools {
  readonly prepared: PreparedTools;
  readonly tools: readonly JsonObject[];
}

/** Declares tools: ours as functions, Google's own as their specs say. */
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
    drop(tool.name, 'only scripts may call it, and the provider runs none');
    return false;
  });
  const hasFunctions = callable.some(({ type }) => type === 'function');
  const mixes = traits.mixes && !settings.isVertex;
  const offered = callable.filter((tool) => {
    if (!hasFunctions || mixes || !isHosted(tool, settings)) return true;
    drop(tool.name, 'this model takes no tool that Google runs beside functions');
    return false;
  });
  const prepared = settings.prepareTools(offered, settings.id);
  warnings.push(...prepared.warnings);
  const key = settings.schemas === 'json' ? 'parametersJsonSchema' : 'parameters';
  const functionDeclarations = prepared.functions.map(({ spec, wireName, parameters }): JsonObject => ({
    name: wireName,
    description: spec.description,
    // The older dialect has no object without properties.
    ...(key === 'parameters' && !('properties' in parameters) ? {} : { [key]: parameters as JsonObject }),
  }));
  const tools = prepared.native.map(({ spec }) => spec);
  return { prepared, tools: functionDeclarations.length === 0 ? tools : [{ functionDeclarations }, ...tools] };
}

/** Whether Google runs it; calls of a provider-defined tool come to us as those of functions do. */
function isHosted(tool: ToolSpec, { id }: WireSettings): boolean {
  return tool.type === 'provider' && tool.provider === id && tool.callTypes === undefined;
}

/** Which functions to call, and whether the calls that Google runs are shown: beside functions they have to be. */
export function toolConfig(
  request: ModelRequest,
  settings: WireSettings,
  { prepared, tools }: DeclaredTools,
  warnings: ModelWarning[],
): JsonObject | undefined {
  if (tools.length === 0) return undefined;
  const { functions, native } = prepared;
  const isMixed = functions.length > 0 && native.some((spec) => isHosted(spec, settings));
  const choice =
    functions.length === 0
      ? undefined
      : callingConfig(request, isFree(settings, prepared) && !isMixed, prepared, warnings);
  if (request.parallelToolCalls === false) {
    warnings.push({ code: 'option-ignored', message: 'Parallel calls cannot be switched off here' });
  }
  if (choice === undefined && !isMixed) return undefined;
  return {
    ...(choice === undefined ? {} : { functionCallingConfig: choice }),
    ...(isMixed ? { includeServerSideToolInvocations: true } : {}),
  };
}

/** Whether calls need not fit their schemas. */
function isFree({ strict }: WireSettings, { functions }: PreparedTools): boolean {
  return strict === 'never' || (strict === 'auto' && functions.every(({ spec }) => spec.strict !== true));
}

/** @param mayBeAuto beside tools that Google runs a call has to fit its schema: mio-chat-backend#30 */
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
        message: 'Only functions can be demanded here, no tool of Google’s own',
      });
      return undefined;
    }
  }
}
