import { attachmentHeader } from '@ravi/support';

/** Media type of content whose own type is unknown or unusable. */
export const bytesOfNoType = 'application/octet-stream';

const longest = 200;
const pattern = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:; ?[\w-]{1,100}="?[\w.+-]{1,100}"?)*$/;

/** Returns true for a media type that RFC 9110 allows in a header. */
export function isMediaType(text: string): boolean {
  return text.length <= longest && pattern.test(text);
}

// No artifact may run scripts with the origin of this server.
const safeHeaders = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-store',
};

/** Returns the headers of a response with content of this type: a browser stores it under the name and never runs it. */
export function headersOf(mediaType: string, fileName?: string): Readonly<Record<string, string>> {
  return {
    ...safeHeaders,
    // Tools choose media types.
    'content-type': isMediaType(mediaType) ? mediaType : bytesOfNoType,
    'content-disposition': fileName === undefined ? 'attachment' : attachmentHeader(fileName),
  };
}
