import { KernelError } from '@ravi/kernel';
import type { ModelProvider, ModelRequest } from '@ravi/kernel';
import { createHttpModel, createToolPreparer, endpoint, withTextTools } from '@ravi/provider-kit';
import type { ConnectionOptions, NameRules, StrictMode, ToolPreparer } from '@ravi/provider-kit';
import { createGeminiDecoder } from './decode.ts';
import { encodeGemini } from './encode.ts';
import { refusalOf } from './refusal.ts';
import { geminiSchema } from './schema/gemini-schema.ts';
import { openApiSchema } from './schema/openapi-schema.ts';
import type { SchemaDialect, WireSettings } from './wire-settings.ts';

/** Which server, which model, and how to speak to it. */
export interface GoogleOptions extends ConnectionOptions {
  readonly model: string;
  /**
   * Up to the version, `https://generativelanguage.googleapis.com/v1beta` when absent; at Vertex AI up to
   * `publishers/google`.
   */
  readonly baseUrl?: string | undefined;
  /** Sent as `x-goog-api-key`. */
  readonly apiKey?: string | undefined;
  /** Asked for a bearer token before each request, since those of Vertex AI are short-lived. */
  readonly accessToken?: (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Key of `providerSpecs`; `google` when absent. */
  readonly id?: string | undefined;
  /** `json` when absent. */
  readonly schemas?: SchemaDialect | undefined;
  /** `auto` when absent. */
  readonly strict?: StrictMode | undefined;
  /** `text` tells the model of tools in words, for one that has none of its own; `native` when absent. */
  readonly tools?: 'native' | 'text' | undefined;
  /** Asks for the answer event by event; `true` when absent. */
  readonly stream?: boolean | undefined;
}

/** What the names of functions may be, at Vertex AI too. */
const nameRules: NameRules = { forbidden: /[^a-zA-Z0-9_.-]/gu, maxLength: 64, first: /^[a-zA-Z_]/u };

/** Prepares tools in one of the dialects of schemas. */
export function toolPreparerFor(schemas: SchemaDialect): ToolPreparer {
  // There are no strict schemas here: calls fit all of them or need not.
  return createToolPreparer({
    names: nameRules,
    mode: 'never',
    adapt: schemas === 'json' ? geminiSchema : openApiSchema,
  });
}

/**
 * Gemini over fetch, at its own address or at Vertex AI.
 * @throws KernelError `E_CONFIG_INVALID` for an address that is none, or a key that no header can have
 */
export function createGoogleProvider(options: GoogleOptions): ModelProvider {
  const { model, apiKey, accessToken, id = 'google', schemas = 'json', strict = 'auto', stream = true } = options;
  const baseUrl = options.baseUrl ?? 'https://generativelanguage.googleapis.com/v1beta';
  const isVertex = new URL(endpoint(baseUrl, '')).pathname.includes('/publishers/');
  const settings: WireSettings = { id, model, isVertex, schemas, strict, prepareTools: toolPreparerFor(schemas) };

  // Refuses a model that is none at once.
  addressOf(baseUrl, model, stream);

  const provider = createHttpModel({
    ...options,
    id,
    headers: { ...(apiKey === undefined ? {} : { 'x-goog-api-key': apiKey }), ...options.headers },
    refusalOf,
    async encode(request) {
      const { body, warnings, context } = encodeGemini(request, settings);
      const token = await accessToken?.();
      return {
        url: addressOf(baseUrl, request.model ?? model, stream),
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        body,
        warnings,
        createDecoder: (emit) => createGeminiDecoder(context, emit),
      };
    },
  });
  return options.tools === 'text' ? withTextTools(provider) : provider;
}

/**
 * A name with a slash says itself where it lies, as `tunedModels/mine`.
 * @throws KernelError `E_CONFIG_INVALID` for a name that leaves the version
 */
function addressOf(baseUrl: string, model: NonNullable<ModelRequest['model']>, stream: boolean): string {
  const segments = (model.includes('/') ? model : `models/${model}`).split('/');
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    throw new KernelError('E_CONFIG_INVALID', `The model ${JSON.stringify(model)} is no name; leave out ./ and ../`);
  }
  const place = segments.map(escaped).join('/');
  const url = new URL(endpoint(baseUrl, `/${place}:${stream ? 'streamGenerateContent' : 'generateContent'}`));
  if (stream) url.searchParams.set('alt', 'sse');
  return url.href;
}

/** Versions of models stand behind an `@`. */
function escaped(segment: string): string {
  return encodeURIComponent(segment).replaceAll('%40', '@').replaceAll('%3A', ':');
}
