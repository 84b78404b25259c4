import { textOf } from '@ravi/kernel';
import type { ContentBlock, JsonObject, JsonValue, MediaBlock, ToolResultBlock } from '@ravi/kernel';
import { describeMedia, isJsonObject, isMedia, takesMedia } from '@ravi/provider-kit';
import type { CallResult } from '@ravi/provider-kit';
import { wireNameOf } from './conversation-context.ts';
import type { ConversationContext } from './conversation-context.ts';
import { mediaOf, mediaPart } from './media.ts';

/** The results of one answer: as many as it has calls, in their order, and what of them only the user may show. */
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
    const told = rest.filter((block) => !moved.includes(block));
    if (moved.length > 0) shown.push({ type: 'text', text: `From the result of ${call.name} (${id}):` }, ...moved);
    for (const { mediaType } of rest) {
      const message = `A medium of type ${mediaType} in a result of ${call.name} goes behind the results or into words`;
      warnings.push({ code: 'media-replaced', tool: call.name, message });
    }
    const notes = [
      ...told.map(describeMedia),
      ...(moved.length === 0 ? [] : [`[Shown behind the results: ${moved.length}]`]),
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

/** Parts of a result hold bytes and no addresses. */
function isInline({ source }: MediaBlock): boolean {
  return source.kind === 'bytes' || (source.kind === 'url' && source.url.startsWith('data:'));
}

/** What a result says: an object with `output` or `error`, or the tool's own object where Google defined the shape. */
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

/** A key `$ref` would be taken for the name of a medium, and the request refused. */
function hasReference(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasReference);
  return isJsonObject(value) && ('$ref' in value || Object.values(value).some(hasReference));
}
