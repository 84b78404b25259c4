const encoder = new TextEncoder();
const decoder = new TextDecoder();

// Above this length the platform's encoder is faster than a loop, even with its garbage.
const longText = 1_024;

/** Returns the number of bytes of `text` in UTF-8. */
export function utf8Length(text: string): number {
  if (text.length > longText) return encoder.encode(text).byteLength;
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 2;
    // Each half of a surrogate pair is one unit of a four-byte sequence; a lone one becomes three bytes.
    else bytes += isPair(text, index) ? 1 : 2;
  }
  return bytes;
}

function isPair(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  const other = unit < 0xdc00 ? text.charCodeAt(index + 1) : text.charCodeAt(index - 1);
  return unit < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other < 0xdc00;
}

/** Returns the longest start of `text` that takes at most `maxBytes` bytes in UTF-8 and ends between two code points. */
export function cutUtf8(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  // `encodeInto` never writes part of a code point, so it has read exactly the part that fits.
  const { read } = encoder.encodeInto(text.slice(0, maxBytes), new Uint8Array(maxBytes));
  const cut = text.slice(0, read);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Decodes bytes as text; malformed sequences become U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
