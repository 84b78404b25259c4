import type { ModelRequest } from '@ravi/kernel';
import type { ResponseContext, ToolPreparer, WireRequest } from '@ravi/provider-kit';
import type { NativeTool } from './native-tools.ts';

/** The dates that Anthropic's interface has had; the later one has no `temperature`, `top_p` and `top_k`. */
export type ApiVersion = '2023-06-01' | '2026-10-21';

/** How long Anthropic keeps the beginning of a request; `none` asks for nothing to be kept. */
export type CacheMode = 'none' | '5m' | '1h';

/** What the encoder knows beside the request. */
export interface WireSettings {
  /** The provider's id: key of `providerSpecs` and `providerOptions`. */
  readonly id: string;
  /** Unless the request names another. */
  readonly model: string;
  readonly apiVersion: ApiVersion;
  readonly prepareTools: ToolPreparer;
  /** `auto` enforces the schemas of the tools that ask for it. */
  readonly strict: 'auto' | 'always' | 'never';
  readonly stream: boolean;
  readonly cache: CacheMode;
}

/** A request as it goes out. */
export interface MessagesRequest extends WireRequest<WireContext> {
  /** For the header `anthropic-beta`: what the tools of the request need, and `betas` of the caller's own fields. */
  readonly betas: readonly string[];
}

/** What the decoder knows of the request. */
export interface WireContext extends ResponseContext {
  /** The tool of Anthropic's own, ours to run, that a call of this name, or of this toolset, is for. */
  nativeTool(wireName: string): NativeTool | undefined;
}

/** Who can read what an answer keeps: the same provider, interface and model. */
export function sourceOf({ id, model }: Pick<WireSettings, 'id' | 'model'>, request: ModelRequest): string {
  return `${id}/messages/${request.model ?? model}`;
}
