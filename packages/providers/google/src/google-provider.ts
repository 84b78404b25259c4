import { KernelError } from '@ravi/kernel';
import type { ModelProvider, ModelRequest } from '@ravi/kernel';
import { createHttpModel, createToolPreparer, endpoint, withTextTools } from '@ravi/provider-kit';
import type { ConnectionOptions, NameRules, StrictMode, ToolPreparer } from '@ravi/provider-kit';
import { createGeminiDecoder } from './decode.ts';
import { encodeGemini } from './encode.ts';
import { refusalOf } from './refusal.ts';
import { geminiSchema } from './schema/gemini-schema.ts';
import { openApiSchema } from './schema/openapi-schema.ts';
import { interfaceOf } from './wire-settings.ts';
import type { SchemaDialect, WireSettings } from './wire-settings.ts';

/** Options of {@link createGoogleProvider}. */
export interface GoogleOptions extends ConnectionOptions {
  readonly model: string;
  /**
   * URL including the API version, `https://generativelanguage.googleapis.com/v1beta` by default; for Vertex AI up to
   * `publishers/google`.
   */
  readonly baseUrl?: string | undefined;
  /** Sent as `x-goog-api-key`. */
  readonly apiKey?: string | undefined;
  /** Called for a bearer token before each request, because tokens of Vertex AI are short-lived. */
  readonly accessToken?: (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Key of `providerOptions`; `<id>/generate-content` is the key of `providerSpecs`. `google` by default. */
  readonly id?: string | undefined;
  /** `json` by default. */
  readonly schemas?: SchemaDialect | undefined;
  /** `auto` by default. */
  readonly strict?: StrictMode | undefined;
  /** `text` describes tools in the prompt, for models without native tools; `native` by default. */
  readonly tools?: 'native' | 'text' | undefined;
  /** Requests a streamed response; `true` by default. */
  readonly stream?: boolean | undefined;
}

/** Rules for function names, also of Vertex AI. */
const nameRules: NameRules = { forbidden: /[^a-zA-Z0-9_.-]/gu, maxLength: 64, first: /^[a-zA-Z_]/u };

/** Creates a tool preparer for a schema dialect. */
export function toolPreparerFor(schemas: SchemaDialect): ToolPreparer {
  // There are no strict schemas here: either all calls must match their schemas or none.
  return createToolPreparer({
    names: nameRules,
    mode: 'never',
    adapt: schemas === 'json' ? geminiSchema : openApiSchema,
  });
}

/**
 * Creates a provider for the Gemini API or Vertex AI, over fetch.
 * @throws KernelError `E_CONFIG_INVALID` for an invalid URL, or a key that is not a valid header value
 */
export function createGoogleProvider(options: GoogleOptions): ModelProvider {
  const { model, apiKey, accessToken, id = 'google', schemas = 'json', strict = 'auto', stream = true } = options;
  const baseUrl = options.baseUrl ?? 'https://generativelanguage.googleapis.com/v1beta';
  const isVertex = new URL(endpoint(baseUrl, '')).pathname.includes('/publishers/');
  const settings: WireSettings = { id, model, isVertex, schemas, strict, prepareTools: toolPreparerFor(schemas) };

  // Rejects an invalid model name at once.
  addressOf(baseUrl, model, stream);

  const provider = createHttpModel({
    ...options,
    id,
    interfaces: [interfaceOf({ id })],
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
 * Returns the URL of a model. A name with a slash is a path, such as `tunedModels/mine`.
 * @throws KernelError `E_CONFIG_INVALID` for a name that leaves the path of the API version
 */
function addressOf(baseUrl: string, model: NonNullable<ModelRequest['model']>, stream: boolean): string {
  const segments = (model.includes('/') ? model : `models/${model}`).split('/');
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    throw new KernelError(
      'E_CONFIG_INVALID',
      `The model name ${JSON.stringify(model)} is invalid; it must not contain ./ or ../`,
    );
  }
  const place = segments.map(escaped).join('/');
  const url = new URL(endpoint(baseUrl, `/${place}:${stream ? 'streamGenerateContent' : 'generateContent'}`));
  if (stream) url.searchParams.set('alt', 'sse');
  return url.href;
}

/** Escapes a segment, except for `@`, which separates the version of a model, and `:`. */
function escaped(segment: string): string {
  return encodeURIComponent(segment).replaceAll('%40', '@').replaceAll('%3A', ':');
}
