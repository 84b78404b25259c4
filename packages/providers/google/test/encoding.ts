import type { JsonObject, ModelRequest, ModelWarning } from '@ravi/kernel';
import { encodeGemini } from '../src/index.ts';
import type { WireSettings } from '../src/index.ts';
import { settingsFor } from './settings.ts';

/** Returns opaque data of the responses of a model. */
export const sourceFor = (model: string): string => `google/generate-content/${model}`;

/** Encoded request and its parts. */
export interface Encoded {
  readonly body: JsonObject;
  readonly warnings: readonly ModelWarning[];
  readonly contents: readonly { readonly role: string; readonly parts: readonly JsonObject[] }[];
  readonly tools: readonly JsonObject[];
  readonly functions: readonly JsonObject[];
}

/** Encodes a request for a model. */
export function encoded(
  request: ModelRequest,
  model: string = 'gemini-3-pro',
  options: Partial<WireSettings> = {},
): Encoded {
  const { body, warnings } = encodeGemini(request, settingsFor(model, options));
  const contents = body['contents'] as unknown as Encoded['contents'];
  const tools = (body['tools'] ?? []) as unknown as readonly JsonObject[];
  const functions = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations as readonly JsonObject[]);
  return { body, warnings, contents, tools, functions };
}

/** Returns the schema that is sent for these arguments. */
export function schemaOf(parameters: object, options: Partial<WireSettings> = {}): unknown {
  const tool = { type: 'function', name: 't', description: '', parameters: parameters as JsonObject } as const;
  const [declared] = encoded({ messages: [], tools: [tool] }, 'gemini-2.5-flash', options).functions;
  return declared?.['parametersJsonSchema'] ?? declared?.['parameters'];
}
