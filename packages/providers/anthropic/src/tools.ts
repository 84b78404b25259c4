import type { FunctionSpec, JsonObject, ModelRequest, ModelWarning, ToolSpec } from '@ravi/kernel';
import { chosenNames, textOrEmpty } from '@ravi/provider-kit';
import type { PreparedFunction, PreparedTools } from '@ravi/provider-kit';
import type { ModelTraits } from './model-traits.ts';
import { betasOf, nativeTools, scriptCaller, wireNameOf } from './native-tools.ts';
import type { NativeTool } from './native-tools.ts';
import { interfaceOf } from './wire-settings.ts';
import type { WireSettings } from './wire-settings.ts';

/** Encoded tools of a request. */
export interface DeclaredTools {
  readonly prepared: PreparedTools;
  readonly declared: readonly JsonObject[];
  readonly natives: readonly NativeTool[];
  /** True if scripts that the provider runs may call our tools. */
  readonly hasScripts: boolean;
  readonly betas: readonly string[];
}

/** Declares tools: ours by name and schema, Anthropic's own by their specs. */
export function declareTools(
  request: ModelRequest,
  settings: WireSettings,
  traits: ModelTraits,
  warnings: ModelWarning[],
): DeclaredTools {
  const offered = request.tools.filter((tool) => tool.type === 'provider' && tool.provider === interfaceOf(settings));
  const caller = scriptCaller(offered.filter((tool) => tool.type === 'provider'));
  const wanted = request.tools.map((tool) => withStrictness(tool, settings, traits, caller !== undefined, warnings));
  const prepared = settings.prepareTools(wanted, interfaceOf(settings));
  warnings.push(...prepared.warnings);
  const { native } = prepared;
  const taken = new Map(native.map(({ name, spec }) => [wireNameOf(spec), name]));
  const hasSearch = native.some(({ spec }) => textOrEmpty(spec['type']).startsWith('tool_search_tool'));
  const declared = prepared.functions.flatMap((tool): JsonObject[] => {
    const why = refusal(tool, taken, caller);
    if (why === undefined) return [declaration(tool, hasSearch, caller)];
    warnings.push({
      code: 'tool-dropped',
      tool: tool.spec.name,
      message: `Tool ${tool.spec.name} is not offered: ${why}`,
    });
    return [];
  });
  return {
    prepared,
    declared: [...declared, ...native.map(({ spec }) => spec)],
    natives: nativeTools(native),
    hasScripts: caller !== undefined,
    betas: betasOf(native),
  };
}

/**
 * Resolves the strict mode of a tool. The API compiles all strict schemas of a request together and rejects the whole
 * request if they are too large, so a tool must ask for strict mode. Scripts cannot call strict tools.
 */
function withStrictness(
  tool: ToolSpec,
  { strict }: WireSettings,
  { schemas }: ModelTraits,
  hasScripts: boolean,
  warnings: ModelWarning[],
): ToolSpec {
  if (tool.type !== 'function' || tool.strict === false) return tool;
  const isImpossible = !schemas || (hasScripts && isForScripts(tool));
  if (!isImpossible) return tool.strict === undefined && strict === 'auto' ? { ...tool, strict: false } : tool;
  if (tool.strict === true) {
    const why = schemas ? 'scripts may call it' : 'the model does not support it';
    warnings.push({
      code: 'tool-degraded',
      tool: tool.name,
      message: `Tool ${tool.name}: no strict mode, because ${why}`,
    });
  }
  return { ...tool, strict: false };
}

function isForScripts({ allowedCallers }: FunctionSpec): boolean {
  return allowedCallers?.includes('chain') === true;
}

function refusal(
  { spec, wireName }: PreparedFunction,
  taken: ReadonlyMap<string | undefined, string>,
  caller: string | undefined,
): string | undefined {
  const other = taken.get(wireName);
  if (other !== undefined) return `its name would be ${wireName}, like that of ${other}`;
  const isOnlyForScripts = spec.allowedCallers?.includes('direct') === false;
  return isOnlyForScripts && caller === undefined
    ? 'only scripts may call it, and this provider runs no scripts'
    : undefined;
}

function declaration(
  { spec, wireName, parameters, strict }: PreparedFunction,
  hasSearch: boolean,
  caller: string | undefined,
): JsonObject {
  const callers = isForScripts(spec) && caller !== undefined ? spec.allowedCallers : undefined;
  return {
    name: wireName,
    ...(spec.description === '' ? {} : { description: spec.description }),
    input_schema: parameters as JsonObject,
    ...(strict ? { strict } : {}),
    ...(spec.lazySchema === true && hasSearch ? { defer_loading: true } : {}),
    ...(callers === undefined ? {} : { allowed_callers: callers.map((by) => (by === 'chain' ? (caller ?? by) : by)) }),
  };
}

/**
 * Returns the tool choice. Tool calls cannot be required while the model thinks, and only one tool or any tool can be
 * required.
 * @param isThinking true if the request asks the model to think
 */
export function toolChoice(
  request: ModelRequest,
  { prepared, natives, hasScripts }: DeclaredTools,
  isThinking: boolean,
  warnings: ModelWarning[],
): JsonObject | undefined {
  const choice = wantedChoice(request, prepared, natives, warnings);
  const ignore = (message: string): void => void warnings.push({ code: 'option-ignored', message });
  const isForced = choice?.['type'] === 'any' || choice?.['type'] === 'tool';
  if (isForced && isThinking) ignore('Tool calls cannot be required while this model thinks');
  const possible = isForced && isThinking ? undefined : choice;
  if (request.parallelToolCalls !== false || possible?.['type'] === 'none') return possible;
  if (hasScripts) {
    ignore('Parallel calls cannot be disabled while scripts may call tools');
    return possible;
  }
  return { ...(possible ?? { type: 'auto' }), disable_parallel_tool_use: true };
}

function wantedChoice(
  request: ModelRequest,
  prepared: PreparedTools,
  natives: readonly NativeTool[],
  warnings: ModelWarning[],
): JsonObject | undefined {
  if (request.toolChoice === 'required') return { type: 'any' };
  if (typeof request.toolChoice === 'string') return { type: request.toolChoice };
  const names = chosenNames(request, prepared, warnings) ?? [];
  const [only] = names;
  if (only === undefined) return undefined;
  const spec = prepared.native.find(({ name }) => name === only)?.spec;
  const isToolset = natives.some(({ name, isToolset: is }) => is && name === only);
  const name = spec === undefined ? prepared.names.toWire(only) : spec['name'];
  if (names.length > 1 || isToolset || typeof name !== 'string') return { type: 'any' };
  return { type: 'tool', name };
}

/**
 * Declares the tools that past calls name, if no tool is offered any more: the API rejects a request with calls and no
 * tools.
 */
export function pastTools(messages: readonly { readonly content: readonly JsonObject[] }[]): JsonObject[] {
  const names = new Set(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block['type'] === 'tool_use' ? [textOrEmpty(block['name'])] : [])),
    ),
  );
  return [...names].map((name) => ({
    name,
    description: 'No longer available.',
    input_schema: { type: 'object', properties: {} },
  }));
}
