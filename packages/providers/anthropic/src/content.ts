import { textOf } from '@ravi/kernel';
import type { ContentBlock, JsonObject, JsonValue, MediaBlock, ModelWarning } from '@ravi/kernel';
import { base64Of, mediaAsText, isForeign, isMedia, takesMedia, textOfMedia, textOrEmpty } from '@ravi/provider-kit';
import type { CallResult, MediaPlace, MediaSupport } from '@ravi/provider-kit';

const shown = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf', 'text/*'];

/** Media that Claude accepts, by place. */
const mediaSupport: MediaSupport = { user: shown, 'tool-result': shown, urls: true };

/** Returns text as a block; none for blank text, which the API rejects. */
export function textBlocks(text: string, citations?: JsonValue): JsonObject[] {
  if (text.trim() === '') return [];
  return [{ type: 'text', text, ...(citations === undefined ? {} : { citations }) }];
}

/** Encodes the content of a user message or a result. */
export function wireContent(
  content: readonly ContentBlock[],
  place: MediaPlace,
  source: string,
  warnings: ModelWarning[],
): JsonObject[] {
  return content.flatMap((block): JsonObject[] => {
    if (isMedia(block)) return [mediaBlock(block, place, warnings)];
    if (block.type === 'unknown') return isForeign(block, source) ? [] : [block.raw as JsonObject];
    return textBlocks(textOf([block]));
  });
}

function mediaBlock(block: MediaBlock, place: MediaPlace, warnings: ModelWarning[]): JsonObject {
  const source = takesMedia(mediaSupport, place, block) ? mediaSource(block) : undefined;
  if (source === undefined) {
    if (textOfMedia(block) === undefined) {
      const message = `Media of type ${block.mediaType} (${place}) is described as text`;
      warnings.push({ code: 'media-replaced', message });
    }
    return { type: 'text', text: mediaAsText(block) };
  }
  if (block.mediaType.startsWith('image/')) return { type: 'image', source };
  return { type: 'document', source, ...(block.name ? { title: block.name.slice(0, 500) } : {}) };
}

/**
 * Returns the source of a block; `undefined` if it can neither be sent nor fetched by the provider: a URL without TLS,
 * text at a URL.
 */
function mediaSource(block: MediaBlock): JsonObject | undefined {
  const isText = block.mediaType.startsWith('text/');
  const data = base64Of(block);
  if (data !== undefined) {
    if (!isText) return { type: 'base64', media_type: block.mediaType, data };
    return { type: 'text', media_type: 'text/plain', data: Buffer.from(data, 'base64').toString('utf8') };
  }
  const { source } = block;
  return source.kind === 'url' && source.url.startsWith('https://') && !isText
    ? { type: 'url', url: source.url }
    : undefined;
}

const resultTypes = new Set(['text', 'image', 'document', 'search_result', 'tool_reference', 'browser_state']);

/** Encodes the content of a result. An error is text and never empty; otherwise the API rejects the request. */
export function resultContent(
  { call, result }: CallResult,
  source: string,
  warnings: ModelWarning[],
): readonly JsonObject[] {
  if (result.isError) {
    const media = result.content.filter(isMedia);
    for (const { mediaType } of media) {
      const message = `Media of type ${mediaType} in a failed result of ${call.name} is described as text`;
      warnings.push({ code: 'media-replaced', tool: call.name, message });
    }
    const texts = [textOf(result.content), ...media.map(mediaAsText)];
    return [{ type: 'text', text: texts.join('\n').trim() || 'The call failed.' }];
  }
  const [only, ...others] = result.content;
  if (call.callType !== undefined && only?.type === 'data' && others.length === 0) return givenShape(only.data);
  return wireContent(result.content, 'tool-result', source, warnings);
}

/** Returns a result in Anthropic's own shape: text, result blocks, or one of them. */
function givenShape(data: JsonValue): readonly JsonObject[] {
  if (typeof data === 'string') return textBlocks(data);
  const blocks = Array.isArray(data) ? (data as readonly JsonValue[]) : [data];
  if (blocks.every(isResultBlock)) return blocks;
  return textBlocks(JSON.stringify(data));
}

function isResultBlock(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && resultTypes.has(textOrEmpty((value as JsonObject)['type']));
}
