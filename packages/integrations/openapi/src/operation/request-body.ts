import type { JsonObject, JsonSchema, JsonValue } from '@ravi/kernel';
import { isObject, member, resolved, textMember, Unusable } from '../document/json-pointer.ts';
import type { SchemaCopier } from '../document/own-schema.ts';
import { essence, isJsonType } from '../media-type.ts';

/** Body of an operation, as it is sent. */
export interface RequestBody {
  readonly kind: 'json' | 'multipart' | 'form' | 'text' | 'binary';
  /** Media type without parameters; for a range such as `image/*` the content decides. */
  readonly mediaType: string;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
  /** Media types of the parts of a form that the document gives. */
  readonly partTypes: ReadonlyMap<string, string>;
}

const binary: JsonSchema = { type: 'string', format: 'binary' };
/** Best first. */
const kinds: readonly RequestBody['kind'][] = ['json', 'multipart', 'form', 'binary', 'text'];

/** Reads the body of an operation: of several media types the one that a model writes best. @throws Unusable */
export function readRequestBody(
  document: JsonObject,
  operation: JsonObject,
  copier: SchemaCopier,
): RequestBody | undefined {
  if (operation['requestBody'] === undefined) return undefined;
  const part = resolved(document, operation['requestBody'], 'the request body');
  const { content } = part;
  if (!isObject(content)) throw new Unusable('the request body has no content');
  const offered = Object.entries(content).map(([type, media]) => ({ mediaType: essence(type), media }));
  const best = kinds.flatMap((kind) => offered.filter(({ mediaType }) => kindOf(mediaType) === kind))[0];
  if (best === undefined) throw new Unusable('the request body has no content');
  const { mediaType, media } = best;
  const kind = kindOf(mediaType);
  const description = textMember(part, 'description');
  const schema = schemaOf(document, kind, member(media, 'schema') ?? {}, copier);
  return {
    kind,
    mediaType: mediaType === '*/*' ? 'application/json' : mediaType,
    isRequired: part['required'] === true,
    schema: description === undefined ? schema : { description, ...schema },
    partTypes: partTypesOf(media),
  };
}

function kindOf(mediaType: string): RequestBody['kind'] {
  if (isJsonType(mediaType) || mediaType === '*/*') return 'json';
  if (mediaType === 'multipart/form-data') return 'multipart';
  if (mediaType === 'application/x-www-form-urlencoded') return 'form';
  return /^text\/|[/+]xml$/.test(mediaType) ? 'text' : 'binary';
}

function schemaOf(
  document: JsonObject,
  kind: RequestBody['kind'],
  schema: JsonValue,
  copier: SchemaCopier,
): JsonSchema {
  if (kind === 'binary') return binary;
  if (kind === 'text') return { type: 'string' };
  if (kind === 'json') return copier.copyObject(schema);
  // A form is written property by property, so they have to be known here.
  const copy = copier.copyObject(resolved(document, schema, 'the schema of the body'));
  if (copy['type'] !== 'object' && copy['properties'] === undefined) {
    throw new Unusable(`its ${kind} body is not an object`);
  }
  return { ...copy, type: 'object', properties: withBytes(copy['properties'], kind) };
}

/** In a form, text with a media type of its own is a file. */
function withBytes(properties: unknown, kind: RequestBody['kind']): JsonObject {
  const entries = Object.entries(isObject(properties) ? properties : {});
  if (kind !== 'multipart') return Object.fromEntries(entries);
  return Object.fromEntries(entries.map(([name, schema]) => [name, isObject(schema) ? withFiles(schema) : schema]));
}

function withFiles(schema: JsonObject): JsonObject {
  if (isFile(schema)) return asFile(schema);
  const { items } = schema;
  return isObject(items) && isFile(items) ? { ...schema, items: asFile(items) } : schema;
}

function isFile(schema: JsonObject): boolean {
  if (schema['format'] === 'binary') return true;
  return schema['contentMediaType'] !== undefined && schema['contentEncoding'] === undefined;
}

function asFile({ contentMediaType: _mediaType, ...schema }: JsonObject): JsonObject {
  return { ...schema, type: 'string', format: 'binary' };
}

function partTypesOf(media: unknown): ReadonlyMap<string, string> {
  const encoding = member(media, 'encoding');
  const types = Object.entries(isObject(encoding) ? encoding : {}).flatMap(([name, part]): [string, string][] => {
    const type = textMember(part, 'contentType');
    // Several types or a range leave the choice to the content.
    return type === undefined || /[,*]/.test(type) ? [] : [[name, type]];
  });
  return new Map(types);
}
