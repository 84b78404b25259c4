import { KernelError } from '@ravi/kernel';
import type { JsonValue } from '@ravi/kernel';
import { isObject, shown } from '../document/json-pointer.ts';
import type { Operation } from '../operation/operation.ts';
import { isIdempotencyKey } from '../operation/parameters.ts';
import type { Parameter } from '../operation/parameters.ts';
import { writeBody } from './write-body.ts';
import type { Arguments } from './write-body.ts';
import { cookiePairs, headerText, pathText, queryPairs } from './parameter-text.ts';

/** Request of a call. */
export interface BuiltRequest {
  readonly url: URL;
  readonly init: RequestInit;
}

/**
 * Builds the request of a call. It goes below the address of the server with any arguments.
 * @throws KernelError `E_ARGUMENTS_INVALID` for an argument that cannot be part of an address or a header
 */
export async function buildRequest(
  operation: Operation,
  args: Arguments,
  { server, idempotencyKey }: { readonly server: URL; readonly idempotencyKey: string },
): Promise<BuiltRequest> {
  const { method, parameters, credentials, accept } = operation;
  const valueOf = (parameter: Parameter): JsonValue | undefined =>
    isIdempotencyKey(parameter) ? idempotencyKey : (args[parameter.argument] as JsonValue | undefined);
  const given = parameters.flatMap((parameter) => {
    const value = valueOf(parameter);
    return value === undefined ? [] : [{ parameter, value }];
  });
  checkMembers(given, operation);
  const at = (place: Parameter['place']): typeof given => given.filter(({ parameter }) => parameter.place === place);

  const headers = new Headers({ accept });
  for (const { parameter, value } of at('header')) setHeader(headers, parameter.name, headerText(value, parameter));
  const query = at('query').flatMap(({ parameter, value }) => queryPairs(value, parameter));
  const cookies = at('cookie').flatMap(({ parameter, value }) => cookiePairs(value, parameter));
  for (const { place, name, value } of credentials) {
    if (place === 'header') setHeader(headers, name, value);
    if (place === 'query') query.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    if (place === 'cookie') cookies.push(`${name}=${encodeURIComponent(value)}`);
  }
  if (cookies.length > 0) setHeader(headers, 'cookie', cookies.join('; '));

  const body = operation.body === undefined ? undefined : await writeBody(operation.body, args['body']);
  if (body?.contentType !== undefined) setHeader(headers, 'content-type', body.contentType);
  const isStream = body?.content instanceof ReadableStream;
  return {
    url: address(server, filledPath(operation, args), query),
    init: {
      method,
      headers,
      ...(body === undefined ? {} : { body: body.content }),
      ...(isStream ? { duplex: 'half' as const } : {}),
    },
  };
}

/** Refuses a member of an exploded object that would be sent under the name of another parameter, or of a credential. */
function checkMembers(
  given: readonly { readonly parameter: Parameter; readonly value: JsonValue }[],
  { parameters, credentials }: Operation,
): void {
  const named = [...parameters, ...credentials].map(({ place, name }) => ({ place, name: name.toLowerCase() }));
  for (const { parameter, value } of given) {
    const { argument, place, style, explode, isJson } = parameter;
    if (!explode || isJson || style !== 'form' || !isObject(value)) continue;
    const taken = Object.keys(value).find((key) =>
      named.some((other) => other.place === place && other.name === key.toLowerCase()),
    );
    if (taken !== undefined) throw invalid(argument, `has a member ${shown(taken)}, which has another meaning`);
  }
}

function filledPath({ path, parameters }: Operation, args: Arguments): string {
  const known = new Map(parameters.filter(({ place }) => place === 'path').map((each) => [each.name, each]));
  return path.replaceAll(/\{([^{}]*)\}|[^{}]+/g, (part, name?: string) => {
    const parameter = name === undefined ? undefined : known.get(name);
    // Escapes that the document has written stay.
    if (parameter === undefined) return encodeURI(part).replaceAll('%25', '%');
    const text = pathText((args[parameter.argument] ?? null) as JsonValue, parameter);
    // Without it the call would reach another operation.
    if (text === '') throw invalid(parameter.argument, 'is empty');
    return text;
  });
}

function address(server: URL, path: string, query: readonly string[]): URL {
  const whole = `${server.pathname.replace(/\/$/, '')}${path}`;
  const url = new URL(server.href);
  url.pathname = whole;
  // The parser resolves `..`, and would leave the operation.
  if (url.pathname !== whole) throw invalid('path', 'would lead to another path');
  url.search = query.join('&');
  return url;
}

function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    // The value may be a secret.
    throw invalid(name, 'cannot be sent as a header');
  }
}

function invalid(argument: string, problem: string): KernelError {
  return new KernelError('E_ARGUMENTS_INVALID', `The argument "${argument}" ${problem}`);
}
