import type { JsonObject, JsonSchema } from '../base/json.ts';
import { isHostedTool, isProviderDefinedTool } from './tool.ts';
import type { AnyTool, ToolCaller } from './tool.ts';

/** A local tool as a model is told of it. */
export interface FunctionSpec {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** The schema is sent only after discovery. */
  readonly lazySchema?: boolean;
  /** `true` asks for it where the schema allows it, `false` forbids it; absent, the encoder decides. */
  readonly strict?: boolean;
  /** Absent means both; a provider that runs scripts of the model itself is told. */
  readonly allowedCallers?: readonly ToolCaller[];
  readonly outputSchema?: JsonSchema;
}

/** A hosted or provider-defined tool in its provider's own words. */
export interface ProviderSpec {
  readonly type: 'provider';
  readonly name: string;
  readonly provider: string;
  readonly spec: JsonObject;
  /** Of a provider-defined tool, whose calls come to us; absent for one that the provider runs. */
  readonly callTypes?: readonly string[];
}

/** What a provider is told of one tool. */
export type ToolSpec = FunctionSpec | ProviderSpec;

/**
 * The one way from a tool to its declaration for a provider. `undefined` when a hosted or provider-defined tool
 * has no spec for it: the tool is dropped for this provider, never sent malformed.
 */
export function specOf(tool: AnyTool, providerId: string): ToolSpec | undefined {
  if (isProviderDefinedTool(tool) || isHostedTool(tool)) {
    if (!Object.hasOwn(tool.providerSpecs, providerId)) return undefined;
    const spec = tool.providerSpecs[providerId] as JsonObject;
    const hosted = { type: 'provider', name: tool.name, provider: providerId, spec } as const;
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
