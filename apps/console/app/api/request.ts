import type { JsonObject } from '@ravi/kernel';

/** A refusal by the server, or a failure to reach it (`status` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  /** Body of the refusal. */
  readonly body: JsonObject;

  constructor(message: string, about: { readonly status: number; readonly code: string; readonly body?: JsonObject }) {
    super(message);
    this.status = about.status;
    this.code = about.code;
    this.body = about.body ?? {};
  }
}

/** Options of {@link request}. */
export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/**
 * The answer of the API to a path below its base.
 * @throws ApiError
 */
export async function request<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  const { method = 'GET', body, signal } = options;
  const response = await fetch(addressOf(path), {
    method,
    ...(signal === undefined ? {} : { signal }),
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw new ApiError('The server cannot be reached', { status: 0, code: 'E_UNREACHABLE' });
  });
  if (response.status === 204) return undefined as Answer;
  const answer = await readJson(response);
  if (response.ok) return answer as Answer;
  throw refusal(response.status, answer);
}

/** Returns the address of a path of the API, for resources that the browser loads itself. */
export function addressOf(path: string): string {
  return `${apiBase}${path}`;
}

/** Builds a path in which each inserted value is encoded. */
export function path(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    const { status } = response;
    throw new ApiError(`The server responded with status ${status} and a body that is not JSON`, {
      status,
      code: 'E_ANSWER',
    });
  }
}

function refusal(status: number, answer: unknown): ApiError {
  const body = (typeof answer === 'object' && answer !== null ? answer : {}) as JsonObject;
  const error = (body['error'] ?? {}) as JsonObject;
  const { message, code } = error;
  return new ApiError(typeof message === 'string' ? message : `The server answered ${status}`, {
    status,
    code: typeof code === 'string' ? code : 'E_UNKNOWN',
    body,
  });
}

/** Base path of the console, without a trailing slash; the server writes it into the document. */
export const basePath: string = new URL(document.baseURI).pathname.replace(/\/[^/]*$/, '');

/** Base address of the API, without a trailing slash. */
const apiBase: string =
  document.querySelector<HTMLMetaElement>('meta[name="ravi-api"]')?.content.replace(/\/$/, '') ?? '/v1';
