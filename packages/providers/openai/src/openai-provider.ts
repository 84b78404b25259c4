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
import type { WireSettings } from './wire-settings.ts';

/** Which server, which model, and how to speak to it. */
export interface OpenAiOptions extends ConnectionOptions {
  readonly model: string;
  /** Up to the version, `https://api.openai.com/v1` when absent. */
  readonly baseUrl?: string | undefined;
  /** Sent as bearer token; absent where a server asks for none. */
  readonly apiKey?: string | undefined;
  /** `responses` at OpenAI, `chat` elsewhere, when absent. */
  readonly api?: 'responses' | 'chat' | undefined;
  /** Key of `providerSpecs`; `openai` when absent. */
  readonly id?: string | undefined;
  /** Whose ways the server has; told from the address when absent. */
  readonly dialect?: DialectName | undefined;
  /** `auto` when absent. */
  readonly strict?: StrictMode | undefined;
  /** `text` tells the model of tools in words, for one that has none of its own; `native` when absent. */
  readonly tools?: 'native' | 'text' | undefined;
  /** Asks for the answer event by event; `true` when absent. */
  readonly stream?: boolean | undefined;
  /** Lets OpenAI keep answers; `false` when absent. */
  readonly store?: boolean | undefined;
}

/**
 * OpenAI's Responses or Chat Completions, or a server that speaks one of them, over fetch.
 * @throws KernelError `E_CONFIG_INVALID` for an address that is none, or a key that no header can have
 */
export function createOpenAiProvider(options: OpenAiOptions): ModelProvider {
  const { model, apiKey, id = 'openai', strict = 'auto', stream = true, store = false } = options;
  const { baseUrl = 'https://api.openai.com/v1' } = options;
  const dialect = dialectAt(endpoint(baseUrl, ''), options.dialect);
  const api = options.api ?? (dialect.name === 'openai' ? 'responses' : 'chat');
  const rules = { names: commonNameRules, strict: dialect.strict, mode: strict, maxTools: dialect.maxTools };
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
    headers: { ...key, ...options.headers },
    refusalOf,
    encode(request) {
      const { body, warnings, context } = encode(request, settings);
      return {
        url,
        headers: {},
        body,
        warnings,
        createDecoder: (emit) => createDecoder(context, emit),
      };
    },
  });
  return options.tools === 'text' ? withTextTools(provider) : provider;
}
