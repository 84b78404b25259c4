import type { ModelRequest } from '@ravi/kernel';
import { callIdsOf } from '@ravi/provider-kit';
import type { ResponseContext, PreparedTools, StrictMode, ToolPreparer } from '@ravi/provider-kit';

/**
 * How the arguments of a tool are described: as JSON Schema, or in the older dialect of OpenAPI, which says less and which
 * every model and gateway knows.
 */
export type SchemaDialect = 'json' | 'openapi';

/** What the encoder knows beside the request. */
export interface WireSettings {
  /** The provider's id: key of `providerSpecs` and `providerOptions`. */
  readonly id: string;
  /** Unless the request names another. */
  readonly model: string;
  /** Vertex AI, which has labels and cannot show calls that it ran itself. */
  readonly isVertex: boolean;
  readonly schemas: SchemaDialect;
  /** When calls have to fit their schemas: `auto` when a tool asks for it. */
  readonly strict: StrictMode;
  readonly prepareTools: ToolPreparer;
}

/** What the decoder knows of the request. */
export interface WireContext extends ResponseContext {
  /** The tool of Google's own, ours to run, that a call of this name is for. */
  toolOfCallType(wireName: string): string | undefined;
  /** Whether Google itself answers calls of this name: those of MCP servers that it was told of. */
  isHosted(wireName: string): boolean;
}

/** What reads the answer to this request. */
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

/** Who can read what an answer keeps: the same provider and model. */
export function sourceOf({ id, model }: Pick<WireSettings, 'id' | 'model'>, request: ModelRequest): string {
  return `${id}/generate-content/${request.model ?? model}`;
}
