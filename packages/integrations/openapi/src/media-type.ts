import type { BlobRef, MediaBlock } from '@ravi/kernel';

/** Returns a media type without its parameters, in lower case. */
export function essence(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Returns true for `application/json`, its older name `text/json`, and types that end in `+json`. Takes an {@link essence}. */
export function isJsonType(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType === 'text/json' || mediaType.endsWith('+json');
}

/**
 * Returns true for a media type whose content is text for a model: all of `text/`, XML, and code. JSON is a value, not text.
 * Takes an {@link essence}.
 */
export function isTextType(mediaType: string): boolean {
  return /^text\/|[/+]xml$|^application\/(?:javascript|ecmascript|yaml|x-yaml|toml|sql|graphql|x-ndjson)$/.test(
    mediaType,
  );
}

/** Returns the block of stored content: an image, audio, or a document for any other media type. */
export function mediaBlock(ref: BlobRef, mediaType: string): MediaBlock {
  const [main] = mediaType.split('/', 1);
  const type = main === 'image' || main === 'audio' ? main : 'document';
  return { type, mediaType, source: { kind: 'blob', ref } };
}
