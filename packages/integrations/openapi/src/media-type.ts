/** Returns a media type without its parameters, in lower case. */
export function essence(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Returns true for `application/json` and types that end in `+json`. */
export function isJsonType(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType === 'text/json' || mediaType.endsWith('+json');
}

/** Returns true for a media type whose content is text for a model. */
export function isTextType(mediaType: string): boolean {
  return /^text\/|[/+]xml$|^application\/(?:javascript|ecmascript|yaml|x-yaml|toml|sql|graphql|x-ndjson)$/.test(
    mediaType,
  );
}
