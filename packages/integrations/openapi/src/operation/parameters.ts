import type { JsonObject, JsonSchema, JsonValue } from '@ravi/kernel';
import { isObject, member, resolved, shown, textMember, Unusable } from '../document/json-pointer.ts';
import type { SchemaCopier } from '../document/own-schema.ts';

const places = ['path', 'query', 'header', 'cookie'] as const;

/** Place of a parameter in a request. */
export type ParameterPlace = (typeof places)[number];

/** Parameter of an operation, as it is sent. */
export interface Parameter {
  /** Name of the argument of the tool: that of the parameter, with its place before it if two have the same. */
  readonly argument: string;
  readonly name: string;
  readonly place: ParameterPlace;
  readonly style: string;
  readonly explode: boolean;
  /** True if the value may contain delimiters of addresses as they are. */
  readonly allowReserved: boolean;
  readonly isRequired: boolean;
  /** True if the value is sent as JSON text. */
  readonly isJson: boolean;
  readonly schema: JsonSchema;
}

const usualStyles: Readonly<Record<ParameterPlace, string>> = {
  path: 'simple',
  query: 'form',
  header: 'simple',
  cookie: 'form',
};
const styles: Readonly<Record<ParameterPlace, readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Headers that the connection, the body, the credentials or the operation decide: another method would have another risk. */
const ownHeaders: readonly string[] = [
  'accept',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
];

/** Returns true for the header that the runtime fills so that a repeated call has one effect. */
export function isIdempotencyKey({ place, name }: Pick<Parameter, 'place' | 'name'>): boolean {
  return place === 'header' && name.toLowerCase() === 'idempotency-key';
}

/**
 * Reads the parameters of a path and of its operation, which wins. Parameters that a caller may not choose are left out, such as the
 * header `Host`.
 * @throws Unusable if a parameter cannot be sent
 */
export function readParameters(
  document: JsonObject,
  parts: readonly JsonObject[],
  copier: SchemaCopier,
): readonly Parameter[] {
  const found = new Map<string, Omit<Parameter, 'argument'>>();
  for (const part of parts.flatMap((each) => listOf(each['parameters']))) {
    const parameter = readParameter(resolved(document, part, 'a parameter'), copier);
    if (parameter.place === 'header' && ownHeaders.includes(parameter.name.toLowerCase())) continue;
    // One of the operation replaces that of the path.
    found.set(JSON.stringify([parameter.place, parameter.name]), parameter);
  }
  const uses = Map.groupBy(found.values(), ({ name }) => name);
  return Array.from(found.values(), (parameter) => {
    const isAlone = uses.get(parameter.name)?.length === 1 && parameter.name !== 'body';
    return { ...parameter, argument: isAlone ? parameter.name : `${parameter.place}_${parameter.name}` };
  });
}

function readParameter(part: JsonObject, copier: SchemaCopier): Omit<Parameter, 'argument'> {
  const name = textMember(part, 'name') ?? '';
  const place = places.find((each) => each === part['in']);
  if (name === '' || place === undefined) throw new Unusable('a parameter has no name or no place');
  const style = textMember(part, 'style') ?? usualStyles[place];
  if (!styles[place].includes(style)) throw new Unusable(`the parameter ${shown(name)} has the style ${shown(style)}`);
  const content = contentSchema(part);
  const schema = content ?? part['schema'] ?? {};
  const copy = copier.copyObject(schema);
  const description = textMember(part, 'description');
  return {
    name,
    place,
    style,
    explode: typeof part['explode'] === 'boolean' ? part['explode'] : style === 'form',
    allowReserved: part['allowReserved'] === true,
    isRequired: place === 'path' || part['required'] === true,
    isJson: content !== undefined,
    schema: description === undefined || 'description' in copy ? copy : { description, ...copy },
  };
}

// A parameter with `content` is JSON text; no other media type is in use.
function contentSchema({ content }: JsonObject): JsonValue | undefined {
  if (!isObject(content)) return undefined;
  const [mediaType, media] = Object.entries(content)[0] ?? [];
  if (mediaType === undefined || !/[/+]json\b/.test(mediaType))
    throw new Unusable('a parameter is neither text nor JSON');
  return member(media, 'schema') ?? {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
