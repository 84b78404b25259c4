import { isPdf } from '@ravi/pdf-kit';

/** Kind of a response. All but `file` become text; a file is stored instead. */
export type PageKind = 'html' | 'pdf' | 'text' | 'file';

const textTypes =
  /^text\/|[/+](?:json|xml|yaml)$|^application\/(?:javascript|ecmascript|x-javascript|x-yaml|toml|sql|graphql|x-ndjson|jsonl|x-sh|rtf)$/;
/** Media types that say nothing. */
const unknownTypes: readonly string[] = [
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-download',
];

/** Returns the media type without parameters, in lower case. */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Returns the kind of a response, by its media type and, if that says nothing, by its content. */
export function kindOf(mediaType: string, bytes: Uint8Array): PageKind {
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') return 'html';
  if (mediaType === 'application/pdf' || (unknownTypes.includes(mediaType) && isPdf(bytes))) return 'pdf';
  if (textTypes.test(mediaType)) return 'text';
  if (!unknownTypes.includes(mediaType)) return 'file';
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1_024)).toString('latin1');
  if (/^\s*(?:<!doctype html|<html)/i.test(head)) return 'html';
  return isText(bytes) ? 'text' : 'file';
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
