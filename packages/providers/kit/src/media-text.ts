import type { MediaBlock } from '@ravi/kernel';
import { base64Of } from './media.ts';

/** Types outside `text/*` whose bytes are text. */
const textTypes =
  /^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|toml|sql|graphql|javascript|typescript|x-sh|x-ndjson|jsonl|csv|x-httpd-php|x-python|rtf)$/u;

/** Returns the text of a block with a text type and bytes, such as CSV, JSON or XML; `undefined` for any other block. */
export function textOfMedia(block: MediaBlock): string | undefined {
  const [type = '', ...parameters] = block.mediaType.toLowerCase().split(';');
  if (!type.startsWith('text/') && !textTypes.test(type.trim())) return undefined;
  const data = base64Of(block);
  return data === undefined ? undefined : decoded(Buffer.from(data, 'base64'), charsetIn(parameters));
}

function charsetIn(parameters: readonly string[]): string {
  const found = parameters.map((parameter) => /^\s*charset\s*=\s*"?([\w-]+)/u.exec(parameter)?.[1]);
  return found.find((charset) => charset !== undefined) ?? 'utf-8';
}

function decoded(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // The name of the charset is unknown.
    return new TextDecoder().decode(bytes);
  }
}

/** Returns a block as text, for a model that does not accept it: its content if it is text, else a description. */
export function mediaAsText(block: MediaBlock): string {
  const { type, mediaType, name, source } = block;
  const content = textOfMedia(block);
  if (content !== undefined) return `[${[name ?? 'file', mediaType].join(', ')}]\n${content}`;
  const words = [type, mediaType];
  if (name !== undefined) words.push(JSON.stringify(name));
  if (source.kind === 'bytes') words.push(`${source.bytes.byteLength} bytes`);
  if (source.kind === 'blob') words.push(`artifact ${source.ref}`);
  if (source.kind === 'url' && !/^data:/iu.test(source.url)) words.push(source.url);
  return `[${words.join(', ')}: cannot be shown to this model]`;
}

const extensions: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.oasis.opendocument.text': 'odt',
};

/** Media types of office documents, which some APIs read as files. */
export const officeTypes: readonly string[] = Object.keys(extensions).filter((type) => type !== 'application/pdf');

/** Returns a file name with an extension, by which APIs detect the type. */
export function fileNameOf({ name = 'document', mediaType }: MediaBlock): string {
  const extension = extensions[mediaType];
  return extension === undefined || /\.\w{1,8}$/u.test(name) ? name : `${name}.${extension}`;
}
