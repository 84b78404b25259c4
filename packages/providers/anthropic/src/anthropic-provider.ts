import type { ModelProvider } from '@ravi/kernel';
import { createHttpModel, createToolPreparer, endpoint, withTextTools } from '@ravi/provider-kit';
import type { ConnectionOptions, NameRules, StrictMode } from '@ravi/provider-kit';
import { createMessagesDecoder } from './decode.ts';
import { encodeMessages } from './encode.ts';
import { refusalOf } from './refusal.ts';
import { anthropicStrictRules, fitsStrict } from './strict-rules.ts';
import { interfaceOf } from './wire-settings.ts';
import type { ApiVersion, CacheMode, WireSettings } from './wire-settings.ts';

/** Options of {@link createAnthropicProvider}. */
export interface AnthropicOptions extends ConnectionOptions {
  readonly model: string;
  /** URL without `/v1/messages`; `https://api.anthropic.com` by default. */
  readonly baseUrl?: string | undefined;
  /** Sent as `x-api-key`, since version 2026-10-21 as a bearer token; omit it for a server without keys. */
  readonly apiKey?: string | undefined;
  /** Key of `providerOptions`; `<id>/messages` is the key of `providerSpecs`. `anthropic` by default. */
  readonly id?: string | undefined;
  /** `2023-06-01` by default. */
  readonly apiVersion?: ApiVersion | undefined;
  /** Values of the header `anthropic-beta`, in addition to those that the tools of a request need. */
  readonly betas?: readonly string[] | undefined;
  /** Cache duration of the start of a request; `5m` by default. */
  readonly cache?: CacheMode | undefined;
  /** `auto` (default) enforces the schemas of the tools that ask for it. */
  readonly strict?: StrictMode | undefined;
  /** `text` describes tools in the prompt, for models without native tools; `native` by default. */
  readonly tools?: 'native' | 'text' | undefined;
  /** Requests a streamed response; `true` by default. */
  readonly stream?: boolean | undefined;
}

const nameRules: NameRules = { forbidden: /[^a-zA-Z0-9_-]/gu, maxLength: 128 };

/**
 * Creates a provider for Anthropic's Messages API, or a compatible server, over fetch.
 * @throws KernelError `E_CONFIG_INVALID` for an invalid URL, or a key that is not a valid header value
 */
export function createAnthropicProvider(options: AnthropicOptions): ModelProvider {
  const { apiKey, betas = [], id = 'anthropic' } = options;
  const url = endpoint(options.baseUrl ?? 'https://api.anthropic.com', '/v1/messages');
  const settings = wireSettings(options);
  const headers = { 'anthropic-version': settings.apiVersion };

  const provider = createHttpModel({
    ...options,
    id,
    interfaces: [interfaceOf({ id })],
    headers: { ...authentication(apiKey, settings.apiVersion), ...options.headers },
    refusalOf,
    encode(request) {
      const { body, warnings, context, betas: needed } = encodeMessages(request, settings);
      const all = [...new Set([...betas, ...needed])];
      return {
        url,
        headers: all.length === 0 ? headers : { ...headers, 'anthropic-beta': all.join(',') },
        body,
        warnings,
        createDecoder: (emit) => createMessagesDecoder(context, emit),
      };
    },
  });
  return options.tools === 'text' ? withTextTools(provider) : provider;
}

/** Source: `client.js` of the npm package @anthropic-ai/sdk 1.10.0, and 0.137.0 for the version before. */
function authentication(apiKey: string | undefined, apiVersion: ApiVersion): Readonly<Record<string, string>> {
  if (apiKey === undefined) return {};
  return apiVersion === '2023-06-01' ? { 'x-api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
}

/** Returns the encoder settings of these options. */
export function wireSettings(options: AnthropicOptions): WireSettings {
  const { model, id = 'anthropic', apiVersion = '2023-06-01', strict = 'auto', stream = true, cache = '5m' } = options;
  const rules = { names: nameRules, strict: anthropicStrictRules, mode: strict, fitsStrict };
  return { id, model, apiVersion, strict, stream, cache, prepareTools: createToolPreparer(rules) };
}
