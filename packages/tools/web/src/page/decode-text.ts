/** Bytes at the beginning of a page in which it may name its encoding. */
const headBytes = 1_024;

/**
 * Decodes text by its byte order mark, the `charset` of its media type, or the encoding that a page names at its beginning; as UTF-8
 * otherwise. Bytes that are not valid become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const label = markOf(bytes) ?? charsetOf(contentType) ?? namedAtBeginning(bytes);
  return new TextDecoder(isKnown(label) ? label : 'utf-8').decode(bytes);
}

/** Returns false for a label that says nothing, because no encoding has it. */
function isKnown(label: string | undefined): label is string {
  try {
    return label !== undefined && new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s;"]{1,40})/i.exec(contentType)?.[1];
}

function namedAtBeginning(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, headBytes));
  const label =
    /<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(head)?.[1] ??
    /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i.exec(head)?.[1];
  // A page that was read as bytes to here is not UTF-16, even if it says so.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label;
}
