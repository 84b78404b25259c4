import type { ModelProvider } from '@ravi/kernel';
import { createHttpModel, createToolPreparer, endpoint, withTextTools } from '@ravi/provider-kit';
import type { ConnectionOptions, NameRules, StrictMode } from '@ravi/provider-kit';
import { createMessagesDecoder } from './decode.ts';
import { encodeMessages } from './encode.ts';
import { refusalOf } from './refusal.ts';
import { anthropicStrictRules, fitsStrict } from './strict-rules.ts';
import type { ApiVersion, CacheMode, WireSettings } from './wire-settings.ts';

/** Which server, which model, and how to speak to it. */
export interface AnthropicOptions extends ConnectionOptions {
  readonly model: string;
  /** Up to the path of the interface, `https://api.anthropic.com` when absent. */
  readonly baseUrl?: string | undefined;
  /** Sent as `x-api-key`, from version 2026-10-21 on as bearer token; absent where a server asks for none. */
  readonly apiKey?: string | undefined;
  /** Key of `providerSpecs`; `anthropic` when absent. */
  readonly id?: string | undefined;
  /** `2023-06-01` when absent. */
  readonly apiVersion?: ApiVersion | undefined;
  /** Values of the header `anthropic-beta`, beside those that the tools of a request need. */
  readonly betas?: readonly string[] | undefined;
  /** What the provider is to keep of a request for the next one; `5m` when absent. */
  readonly cache?: CacheMode | undefined;
  /** `auto`, when absent, enforces the schemas of the tools that ask for it. */
  readonly strict?: StrictMode | undefined;
  /** `text` tells the model of tools in words, for one that has none of its own; `native` when absent. */
  readonly tools?: 'native' | 'text' | undefined;
  /** Asks for the answer event by event; `true` when absent. */
  readonly stream?: boolean | undefined;
}

const nameRules: NameRules = { forbidden: /[^a-zA-Z0-9_-]/gu, maxLength: 128 };

/**
 * Anthropic's Messages interface, or a server that speaks it, over fetch.
 * @throws KernelError `E_CONFIG_INVALID` for an address that is none, or a key that no header can have
 */
export function createAnthropicProvider(options: AnthropicOptions): ModelProvider {
  const { apiKey, betas = [], id = 'anthropic' } = options;
  const url = endpoint(options.baseUrl ?? 'https://api.anthropic.com', '/v1/messages');
  const settings = wireSettings(options);
  const headers = { 'anthropic-version': settings.apiVersion };

  const provider = createHttpModel({
    ...options,
    id,
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

/** What the encoder knows of these options. */
export function wireSettings(options: AnthropicOptions): WireSettings {
  const { model, id = 'anthropic', apiVersion = '2023-06-01', strict = 'auto', stream = true, cache = '5m' } = options;
  const rules = { names: nameRules, strict: anthropicStrictRules, mode: strict, fitsStrict };
  return { id, model, apiVersion, strict, stream, cache, prepareTools: createToolPreparer(rules) };
}
