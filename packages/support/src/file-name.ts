import { cutUtf8, utf8Length } from './utf8.ts';

/** Longest file name of common file systems, in UTF-8 bytes. */
const maxNameBytes = 255;
const maxExtensionBytes = 32;

// Control characters, invisible and directional ones, line separators, unpaired surrogates and private use.
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;
// Windows refuses these, and shells give some of them a meaning.
const refused = /[<>:"|?*]/g;
// Names of devices, also with an extension: `con.txt` opens the console of Windows.
const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?=\s*(?:\.|$))/i;

/**
 * Returns a name under which any common system can save a file: the last segment of `name`, without hidden characters, at most
 * 255 bytes, and not the name of a device. Returns `undefined` if nothing of it is left.
 */
export function safeFileName(name: string): string | undefined {
  // A longer text is cut first, so that a hostile one costs nothing.
  const last = /[^/\\]*$/.exec(name.slice(-4_096).replace(/[/\\]+$/, ''))?.[0] ?? '';
  const visible = last
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(hidden, '')
    .replaceAll(refused, '_')
    .replaceAll(/\s+/g, ' ');
  const trimmed = trimDots(visible);
  if (trimmed === '') return undefined;
  const own = devices.test(trimmed) ? `_${trimmed}` : trimmed;
  if (utf8Length(own) <= maxNameBytes) return own;
  const dot = own.lastIndexOf('.');
  const ending = dot > 0 ? own.slice(dot) : '';
  const extension = utf8Length(ending) <= maxExtensionBytes ? ending : '';
  const stem = extension === '' ? own : own.slice(0, dot);
  return trimDots(cutUtf8(stem, maxNameBytes - utf8Length(extension))) + extension;
}

// Windows drops spaces and dots at the end, and a dot at the start hides a file.
function trimDots(name: string): string {
  let start = 0;
  let end = name.length;
  while (start < end && isDot(name, start)) start++;
  while (end > start && isDot(name, end - 1)) end--;
  return name.slice(start, end);
}

function isDot(name: string, index: number): boolean {
  return name[index] === '.' || name[index] === ' ';
}

/** File extensions of the media types that tools return most; the rest is named after its subtype. Source: IANA. */
const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'application/octet-stream': 'bin',
};

/** Returns the file extension of a media type; `bin` for an unknown one. */
export function extensionOf(mediaType: string): string {
  const essence = mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  const known = extensions[essence];
  if (known !== undefined) return known;
  return /^[a-z0-9]{1,8}$/.exec(essence.split('/')[1] ?? '')?.[0] ?? 'bin';
}

/** Media types of the file extensions that scripts write most. Source: IANA. */
const mediaTypes: ReadonlyMap<string, string> = new Map([
  ['csv', 'text/csv'],
  ['gif', 'image/gif'],
  ['html', 'text/html'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['json', 'application/json'],
  ['md', 'text/markdown'],
  ['mp3', 'audio/mpeg'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['svg', 'image/svg+xml'],
  ['txt', 'text/plain'],
  ['wav', 'audio/x-wav'],
  ['webp', 'image/webp'],
  ['xml', 'application/xml'],
  ['zip', 'application/zip'],
]);

/** Returns the media type that the extension of a file name stands for; `undefined` for an unknown one. */
export function mediaTypeOf(name: string): string | undefined {
  return mediaTypes.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
}

/** Content with what its download is named after. */
export interface NamedContent {
  readonly ref: string;
  readonly mediaType: string;
  readonly name?: string;
  readonly tool?: string;
}

const refCharacters = 8;

/** Returns the name of a downloaded artifact: its own, or one of the tool that made it, the end of its ref and its type. */
export function downloadName({ ref, mediaType, name, tool }: NamedContent): string {
  const own = name === undefined ? undefined : safeFileName(name);
  if (own !== undefined) return own;
  const end = ref.replaceAll(/[^\w-]+/g, '').slice(-refCharacters);
  return safeFileName(`${tool ?? 'artifact'}-${end}.${extensionOf(mediaType)}`) ?? 'artifact.bin';
}

/** Returns the `Content-Disposition` of a download (RFC 6266), with the name also as UTF-8 (RFC 8187). */
export function attachmentHeader(fileName: string): string {
  const ascii = fileName.replaceAll(/[^ !#$&'()+,\-.0-9;=@A-Z[\]^_`a-z{}~]/gu, '_');
  const encoded = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return ascii === fileName
    ? `attachment; filename="${ascii}"`
    : `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
