import type { JsonValue } from '@ravi/kernel';
import { isObject } from '../document/json-pointer.ts';
import type { Parameter } from '../operation/parameters.ts';

/** Form in which a parameter is written. */
export type ParameterForm = Pick<Parameter, 'name' | 'style' | 'explode' | 'allowReserved' | 'isJson'>;

type Encode = (text: string) => string;

/** Writes a parameter of the path: `simple`, `label` or `matrix`. */
export function pathText(value: JsonValue, form: ParameterForm): string {
  const { name, style, explode } = form;
  const encode = encodeAll;
  if (form.isJson) return encode(JSON.stringify(value));
  const entries = entriesOf(value, encode);
  if (style === 'matrix') return matrix(encode(name), value, entries, explode);
  const separator = style === 'label' && explode ? '.' : ',';
  return `${style === 'label' ? '.' : ''}${flat(entries, explode).join(separator)}`;
}

function matrix(name: string, value: JsonValue, entries: readonly Entry[], explode: boolean): string {
  if (!explode) return `;${name}=${flat(entries, false).join(',')}`;
  return entries.map(([key, text]) => (isObject(value) ? `;${key}=${text}` : `;${name}=${text}`)).join('');
}

/** Writes a parameter of the query as pairs, already encoded: `form`, `spaceDelimited`, `pipeDelimited` or `deepObject`. */
export function queryPairs(value: JsonValue, form: ParameterForm): readonly string[] {
  const encode: Encode = form.allowReserved ? encodeReserved : encodeAll;
  const name = encodeAll(form.name);
  if (form.isJson) return [`${name}=${encode(JSON.stringify(value))}`];
  const entries = entriesOf(value, encode);
  if (form.style === 'deepObject' && isObject(value)) {
    return entries.map(([key, text]) => `${name}${encodeAll('[')}${key}${encodeAll(']')}=${text}`);
  }
  if (form.explode) return entries.map(([key, text]) => (isObject(value) ? `${key}=${text}` : `${name}=${text}`));
  const separator = { spaceDelimited: '%20', pipeDelimited: '%7C' }[form.style] ?? ',';
  return [`${name}=${flat(entries, false).join(separator)}`];
}

/** Writes a parameter of a header, style `simple`; not encoded. */
export function headerText(value: JsonValue, { explode, isJson }: ParameterForm): string {
  return isJson
    ? JSON.stringify(value)
    : flat(
        entriesOf(value, (text) => text),
        explode,
      ).join(',');
}

/** Writes a parameter as pairs for the header `cookie`. */
export function cookiePairs(value: JsonValue, form: ParameterForm): readonly string[] {
  return queryPairs(value, { ...form, style: 'form', allowReserved: false });
}

type Entry = readonly [key: string, text: string];

/** Returns the members of an object, the items of a list with empty keys, or one value. */
function entriesOf(value: JsonValue, encode: Encode): readonly Entry[] {
  if (Array.isArray(value)) return value.map((each: JsonValue) => ['', encode(textOf(each))] as const);
  if (!isObject(value)) return [['', encode(textOf(value))]];
  return Object.entries(value).map(([key, each]) => [encode(key), encode(textOf(each))] as const);
}

function flat(entries: readonly Entry[], explode: boolean): readonly string[] {
  return entries.flatMap(([key, text]) => {
    if (key === '') return [text];
    return explode ? [`${key}=${text}`] : [key, text];
  });
}

/** Returns a value as text; one inside another as JSON, for which the styles have no form. */
export function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}

function encodeAll(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Keeps delimiters, except those that would end the value. */
function encodeReserved(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%(?:3A|2F|3F|5B|5D|40|24|2C|3B)/g, decodeURIComponent);
}
