import type { ModelRequest } from '@ravi/kernel';
import type { ResponseContext, ToolPreparer, WireRequest } from '@ravi/provider-kit';
import type { NativeTool } from './native-tools.ts';

/** Version of Anthropic's API; the later one does not support `temperature`, `top_p` and `top_k`. */
export type ApiVersion = '2023-06-01' | '2026-10-21';

/** Cache duration of the start of a request; `none` disables caching. */
export type CacheMode = 'none' | '5m' | '1h';

/** Settings of the encoder. */
export interface WireSettings {
  /** The provider's id: key of `providerOptions`, and the start of the key of `providerSpecs`. */
  readonly id: string;
  /** Default model for requests that do not name one. */
  readonly model: string;
  readonly apiVersion: ApiVersion;
  readonly prepareTools: ToolPreparer;
  /** `auto` enforces the schemas of the tools that ask for it. */
  readonly strict: 'auto' | 'always' | 'never';
  readonly stream: boolean;
  readonly cache: CacheMode;
}

/** Encoded request. */
export interface MessagesRequest extends WireRequest<WireContext> {
  /** Values of the header `anthropic-beta`: those that the tools need, and `betas` of the caller's provider options. */
  readonly betas: readonly string[];
}

/** Parts of the request that the decoder needs. */
export interface WireContext extends ResponseContext {
  /** Returns the provider-defined tool, executed by us, for a call with this name or toolset. */
  nativeTool(wireName: string): NativeTool | undefined;
}

/** Returns the key of `providerSpecs`. */
export function interfaceOf({ id }: Pick<WireSettings, 'id'>): string {
  return `${id}/messages`;
}

/** Returns the source of opaque data: only the same provider, API and model can read it. */
export function sourceOf(settings: Pick<WireSettings, 'id' | 'model'>, request: ModelRequest): string {
  return `${interfaceOf(settings)}/${request.model ?? settings.model}`;
}
