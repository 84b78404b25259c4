import { randomUUID } from 'node:crypto';
import { KernelError } from '@ravi/kernel';
import type { ArtifactStream, JsonValue } from '@ravi/kernel';
import { isObject } from '../document/json-pointer.ts';
import type { RequestBody } from '../operation/request-body.ts';
import { queryPairs, textOf } from './parameter-text.ts';

/** Arguments of a tool that takes artifacts as streams. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Body of a request. */
export interface WrittenBody {
  readonly content: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  readonly contentType: string;
}

/** Longest artifact that becomes text of a JSON body or of a form. */
const maxTextBytes = 16 * 1024 * 1024;

/** Writes the body of a request. @throws KernelError `E_ARGUMENTS_INVALID` for an artifact that is too long to become text */
export async function writeBody(body: RequestBody, value: unknown): Promise<WrittenBody | undefined> {
  if (value === undefined) return undefined;
  const { kind, mediaType } = body;
  if (kind === 'json') return { content: JSON.stringify(await withText(value)), contentType: mediaType };
  if (kind === 'form') return { content: await formText(value), contentType: mediaType };
  if (kind === 'multipart') return multipart(value, body);
  if (!isArtifact(value)) return { content: bytesOf(value), contentType: typeOf(mediaType, kind) };
  const contentType = mediaType.includes('*') ? value.mediaType : mediaType;
  return { content: await value.open(), contentType };
}

function typeOf(mediaType: string, kind: RequestBody['kind']): string {
  if (mediaType.includes('*')) return 'application/octet-stream';
  return kind === 'text' ? `${mediaType}; charset=utf-8` : mediaType;
}

/** Recognized by its shape, because the invoker makes it. */
function isArtifact(value: unknown): value is ArtifactStream {
  return typeof value === 'object' && value !== null && 'open' in value && typeof value.open === 'function';
}

function bytesOf(value: unknown): string | Uint8Array<ArrayBuffer> {
  return value instanceof Uint8Array ? new Uint8Array(value) : textOf(value as JsonValue);
}

/** Puts the text of artifacts in their place: only files are streamed. */
async function withText(value: unknown): Promise<JsonValue> {
  if (isArtifact(value)) return readText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (Array.isArray(value)) return Promise.all(value.map(withText));
  if (!isObject(value)) return value as JsonValue;
  const entries = Object.entries(value).map(async ([key, each]) => [key, await withText(each)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function readText({ bytes, open }: ArtifactStream): Promise<string> {
  if (bytes > maxTextBytes) {
    throw new KernelError(
      'E_ARGUMENTS_INVALID',
      `An artifact of ${bytes} bytes is too long: text in this body may have at most ${maxTextBytes} bytes`,
    );
  }
  return new Response(await open()).text();
}

async function formText(value: unknown): Promise<string> {
  const form = { style: 'form', explode: true, allowReserved: false, isJson: false };
  const fields = Object.entries((await withText(value)) as Readonly<Record<string, JsonValue>>);
  // An object has no usual form, so it is JSON.
  return fields.flatMap(([name, each]) => queryPairs(each, { ...form, name, isJson: isObject(each) })).join('&');
}

interface Part {
  readonly name: string;
  readonly contentType: string | undefined;
  readonly fileName: string | undefined;
  readonly content: string | Uint8Array | ArtifactStream;
}

function multipart(value: unknown, body: RequestBody): WrittenBody {
  const boundary = `ravi-${randomUUID()}`;
  const parts = Object.entries(value as Arguments).flatMap(([name, each]) =>
    (Array.isArray(each) ? (each as unknown[]) : [each]).map((item) => partOf(name, item, body)),
  );
  return {
    content: ReadableStream.from(encoded(parts, boundary)),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

function partOf(name: string, value: unknown, { partTypes, schema }: RequestBody): Part {
  const declared = partTypes.get(name);
  if (isArtifact(value)) {
    return { name, contentType: declared ?? value.mediaType, fileName: value.ref, content: value };
  }
  const isFile = value instanceof Uint8Array || isFileProperty(schema, name);
  const fileName = isFile ? name : undefined;
  if (value instanceof Uint8Array) {
    return { name, contentType: declared ?? 'application/octet-stream', fileName, content: value };
  }
  const usual = isFile ? 'application/octet-stream' : undefined;
  const contentType = declared ?? (isObject(value) ? 'application/json' : usual);
  return { name, contentType, fileName, content: textOf(value as JsonValue) };
}

function isFileProperty(schema: RequestBody['schema'], name: string): boolean {
  const { properties } = schema as {
    readonly properties?: Readonly<Record<string, { format?: unknown; items?: { format?: unknown } }>>;
  };
  const property = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return property?.format === 'binary' || property?.items?.format === 'binary';
}

async function* encoded(parts: readonly Part[], boundary: string): AsyncGenerator<Uint8Array> {
  for (const { name, contentType, fileName, content } of parts) {
    const file = fileName === undefined ? '' : `; filename="${quoted(fileName)}"`;
    const type = contentType === undefined ? '' : `Content-Type: ${oneLine(contentType)}\r\n`;
    yield Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n${type}\r\n`);
    if (isArtifact(content)) yield* await content.open();
    else yield typeof content === 'string' ? Buffer.from(content) : content;
    yield Buffer.from('\r\n');
  }
  yield Buffer.from(`--${boundary}--\r\n`);
}

/** Escapes as browsers do, so that a name cannot end its header. */
function quoted(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}
