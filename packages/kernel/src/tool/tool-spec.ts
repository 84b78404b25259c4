import type { JsonObject, JsonSchema } from '../base/json.ts';
import { isHostedTool, isProviderDefinedTool } from './tool.ts';
import type { AnyTool, ToolCaller } from './tool.ts';

/** Declaration of a local tool for a model. */
export interface FunctionSpec {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** True if the schema is sent only after discovery. */
  readonly lazySchema?: boolean;
  /** `true` requests strict mode if the schema allows it, `false` forbids it. By default the encoder decides. */
  readonly strict?: boolean;
  /** Absent means both. Sent to providers that run scripts of the model themselves. */
  readonly allowedCallers?: readonly ToolCaller[];
  readonly outputSchema?: JsonSchema;
}

/** Declaration of a hosted or provider-defined tool in the provider's own format. */
export interface ProviderSpec {
  readonly type: 'provider';
  readonly name: string;
  /** Interface of the provider that understands the spec, such as `openai/responses`. */
  readonly provider: string;
  readonly spec: JsonObject;
  /** Call types of a provider-defined tool, whose calls this process runs. Absent for a tool that the provider runs. */
  readonly callTypes?: readonly string[];
}

/** Declaration of a tool for a provider. */
export type ToolSpec = FunctionSpec | ProviderSpec;

/**
 * Returns the declaration of a tool for a provider. `undefined` if a hosted or provider-defined tool has no spec for it:
 * the tool is then left out for this provider.
 * @param provider key of `providerSpecs`, one of the `interfaces` of a provider
 */
export function specOf(tool: AnyTool, provider: string): ToolSpec | undefined {
  if (isProviderDefinedTool(tool) || isHostedTool(tool)) {
    if (!Object.hasOwn(tool.providerSpecs, provider)) return undefined;
    const spec = tool.providerSpecs[provider] as JsonObject;
    const hosted = { type: 'provider', name: tool.name, provider, spec } as const;
    return isProviderDefinedTool(tool) ? { ...hosted, callTypes: tool.callTypes } : hosted;
  }
  return {
    type: 'function',
    name: tool.name,
    description: tool.description,
    parameters: tool.inputSchema,
    ...(tool.deferLoading === true ? { lazySchema: true } : {}),
    ...(tool.allowedCallers === undefined ? {} : { allowedCallers: tool.allowedCallers }),
    ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
  };
}

/**
 * Returns true for the tool search of `provider`, of a type such as `tool_search` or `tool_search_tool_bm25_20251119`: with
 * it the provider reads the schemas of deferred tools itself.
 */
export function isToolSearch(spec: ToolSpec, provider: string): boolean {
  if (spec.type !== 'provider' || spec.provider !== provider) return false;
  const { type } = spec.spec;
  return typeof type === 'string' && type.startsWith('tool_search');
}
