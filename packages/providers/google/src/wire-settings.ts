import type { ModelRequest } from '@ravi/kernel';
import { callIdsOf } from '@ravi/provider-kit';
import type { PreparedTools, ResponseContext, StrictMode, ToolPreparer } from '@ravi/provider-kit';

/**
 * Schema dialect of tool arguments: JSON Schema, or the older OpenAPI dialect, which is less expressive but supported
 * by every model and gateway.
 */
export type SchemaDialect = 'json' | 'openapi';

/** Settings of the encoder. */
export interface WireSettings {
  /** The provider's id: key of `providerOptions`, and the start of the key of `providerSpecs`. */
  readonly id: string;
  /** Default model for requests that do not name one. */
  readonly model: string;
  /** True for Vertex AI, which supports labels and does not return hosted calls. */
  readonly isVertex: boolean;
  readonly schemas: SchemaDialect;
  /** Decides if calls must match their schemas; `auto`: if a tool asks for it. */
  readonly strict: StrictMode;
  readonly prepareTools: ToolPreparer;
}

/** Parts of the request that the decoder needs. */
export interface WireContext extends ResponseContext {
  /** Returns the provider-defined tool, executed by us, for a call with this name. */
  toolOfCallType(wireName: string): string | undefined;
  /** Returns true if Google executes calls with this name: those of configured MCP servers. */
  isHosted(wireName: string): boolean;
}

/** Returns the context of the decoder of the response to this request. */
export function contextOf(request: ModelRequest, tools: PreparedTools, source: string): WireContext {
  const ours = new Set(tools.functions.map(({ wireName }) => wireName));
  const hasServers = tools.native.some(({ spec }) => 'mcpServers' in spec);
  const toolOfCallType = (wireName: string): string | undefined =>
    ours.has(wireName) ? undefined : tools.native.find(({ callTypes = [] }) => callTypes.includes(wireName))?.name;
  return {
    usedIds: callIdsOf(request.messages),
    source,
    nameOf: (wireName) => toolOfCallType(wireName) ?? tools.names.fromWire(wireName),
    toolOfCallType,
    isHosted: (wireName) => hasServers && !ours.has(wireName) && toolOfCallType(wireName) === undefined,
  };
}

/** Returns the key of `providerSpecs`. */
export function interfaceOf({ id }: Pick<WireSettings, 'id'>): string {
  return `${id}/generate-content`;
}

/** Returns the source of opaque data: only the same provider and model can read it. */
export function sourceOf(settings: Pick<WireSettings, 'id' | 'model'>, request: ModelRequest): string {
  return `${interfaceOf(settings)}/${request.model ?? settings.model}`;
}
