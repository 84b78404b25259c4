import type { ModelProvider } from '@ravi/kernel';
import { commonNameRules, createHttpModel, createToolPreparer, endpoint, withTextTools } from '@ravi/provider-kit';
import type { ConnectionOptions, StrictMode } from '@ravi/provider-kit';
import { createChatDecoder } from './chat/decode.ts';
import { encodeChat } from './chat/encode.ts';
import { dialectAt } from './dialect.ts';
import type { DialectName } from './dialect.ts';
import { refusalOf } from './refusal.ts';
import { createResponsesDecoder } from './responses/decode.ts';
import { encodeResponses } from './responses/encode.ts';
import { interfaceOf } from './wire-settings.ts';
import type { OpenAiApi, WireSettings } from './wire-settings.ts';
import { openAiStrictRules } from './strict-rules.ts';

/** Options of {@link createOpenAiProvider}. */
export interface OpenAiOptions extends ConnectionOptions {
  readonly model: string;
  /** URL including the API version; `https://api.openai.com/v1` by default. */
  readonly baseUrl?: string | undefined;
  /** Sent as a bearer token; omit it for a server without keys. */
  readonly apiKey?: string | undefined;
  /** API; by default `responses` at OpenAI and `chat` elsewhere. */
  readonly api?: OpenAiApi | undefined;
  /** Key of `providerOptions`; with the API it is the key of `providerSpecs`: `openai/responses`. `openai` by default. */
  readonly id?: string | undefined;
  /** Dialect of the server; detected from the URL by default. */
  readonly dialect?: DialectName | undefined;
  /** `auto` by default. */
  readonly strict?: StrictMode | undefined;
  /** `text` describes tools in the prompt, for models without native tools; `native` by default. */
  readonly tools?: 'native' | 'text' | undefined;
  /** Requests a streamed response; `true` by default. */
  readonly stream?: boolean | undefined;
  /** Lets OpenAI store responses; `false` by default. */
  readonly store?: boolean | undefined;
}

/**
 * Creates a provider for OpenAI's Responses or Chat Completions API, or a compatible server, over fetch.
 * @throws KernelError `E_CONFIG_INVALID` for an invalid URL, or a key that is not a valid header value
 */
export function createOpenAiProvider(options: OpenAiOptions): ModelProvider {
  const { model, apiKey, id = 'openai', strict = 'auto', stream = true, store = false } = options;
  const { baseUrl = 'https://api.openai.com/v1' } = options;
  const dialect = dialectAt(endpoint(baseUrl, ''), options.dialect);
  const api = options.api ?? (dialect.name === 'openai' ? 'responses' : 'chat');
  // The rules of a server that the dialects do not know are OpenAI's, if the caller asks for strict mode.
  const isAsked = strict === 'always' && dialect.name === 'compatible';
  const strictRules = isAsked ? openAiStrictRules : dialect.strict;
  const rules = { names: commonNameRules, strict: strictRules, mode: strict, maxTools: dialect.maxTools };
  const settings: WireSettings = { id, model, dialect, stream, store, prepareTools: createToolPreparer(rules) };
  const key = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const [path, encode, createDecoder] =
    api === 'responses'
      ? (['/responses', encodeResponses, createResponsesDecoder] as const)
      : (['/chat/completions', encodeChat, createChatDecoder] as const);

  const url = endpoint(baseUrl, path);

  const provider = createHttpModel({
    ...options,
    id,
    interfaces: [interfaceOf({ id }, api)],
    headers: { ...key, ...options.headers },
    refusalOf,
    encode(request) {
      const { body, warnings, context } = encode(request, settings);
      return {
        url,
        headers: {},
        body,
        warnings,
        // A job runs on without its connection, so a repeated request would start another one.
        startsJob: body['background'] === true,
        createDecoder: (emit) => createDecoder(context, emit),
      };
    },
  });
  return options.tools === 'text' ? withTextTools(provider) : provider;
}
