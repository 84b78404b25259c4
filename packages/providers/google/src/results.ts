import { textOf } from '@ravi/kernel';
import type { ContentBlock, JsonObject, JsonValue, MediaBlock, ToolResultBlock } from '@ravi/kernel';
import { mediaAsText, isJsonObject, isMedia, takesMedia } from '@ravi/provider-kit';
import type { CallResult } from '@ravi/provider-kit';
import { wireNameOf } from './conversation-context.ts';
import type { ConversationContext } from './conversation-context.ts';
import { mediaOf, mediaPart } from './media.ts';

/**
 * Encodes the results of one response, one per call and in order, and returns the media that only a user message may
 * contain.
 */
export function resultParts(
  results: readonly CallResult[],
  { traits, names, warnings, idOf }: ConversationContext,
): { readonly responses: readonly JsonObject[]; readonly shown: readonly ContentBlock[] } {
  const support = mediaOf(traits);
  const shown: ContentBlock[] = [];
  const responses = results.map(({ call, result }): JsonObject => {
    const id = idOf(call.id);
    const media = result.content.filter(isMedia);
    const kept = media.filter((block) => isInline(block) && takesMedia(support, 'tool-result', block));
    const rest = media.filter((block) => !kept.includes(block));
    const moved = rest.filter((block) => takesMedia(support, 'user', block));
    const described = rest.filter((block) => !moved.includes(block));
    if (moved.length > 0) shown.push({ type: 'text', text: `From the result of ${call.name} (${id}):` }, ...moved);
    for (const { mediaType } of rest) {
      const message = `Media of type ${mediaType} in a result of ${call.name} is moved after the results or described as text`;
      warnings.push({ code: 'media-replaced', tool: call.name, message });
    }
    const notes = [
      ...described.map(mediaAsText),
      ...(moved.length === 0 ? [] : [`[Shown after the results: ${moved.length}]`]),
    ];
    return {
      functionResponse: {
        id,
        name: wireNameOf(call, names),
        response: responseOf(result, notes, call.callType !== undefined),
        ...(kept.length === 0 ? {} : { parts: kept.map(mediaPart) }),
      },
    };
  });
  return { responses, shown };
}

/** Returns true if the block has bytes: parts of a result must not be URLs. */
function isInline({ source }: MediaBlock): boolean {
  return source.kind === 'bytes' || (source.kind === 'url' && source.url.startsWith('data:'));
}

/** Encodes a result: an object with `output` or `error`, or the tool's own object for a provider-defined call. */
function responseOf({ content, isError }: ToolResultBlock, notes: readonly string[], isNative: boolean): JsonObject {
  const said = content.filter((block) => !isMedia(block));
  const [only] = said;
  const data = said.length === 1 && only?.type === 'data' && notes.length === 0 && !isError ? only.data : undefined;
  if (data !== undefined && !hasReference(data)) {
    return isNative && isJsonObject(data) ? data : { output: data };
  }
  const text = [textOf(said), ...notes].filter((line) => line !== '').join('\n');
  return isError ? { error: text === '' ? 'The call failed.' : text } : { output: text };
}

/** Returns true if a value contains the key `$ref`, which the API would read as a media name and reject. */
function hasReference(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasReference);
  return isJsonObject(value) && ('$ref' in value || Object.values(value).some(hasReference));
}
