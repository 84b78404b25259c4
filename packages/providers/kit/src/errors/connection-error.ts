import type { ModelError } from '@ravi/kernel';

/** Connection errors before any byte was sent, in words. */
const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  EAI_AGAIN: 'the name cannot be resolved now',
  ENOTFOUND: 'the host name is unknown',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'the network is not available',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  ETIMEDOUT: 'it does not answer',
};

/** Codes that a repetition does not change. */
const final = /^(?:ENOTFOUND|ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/u;

/**
 * Returns the error of a connection that failed before a response, with its host and port and the code of the socket
 * error, because `fetch failed` alone does not help.
 */
export function connectionError(error: unknown, url: URL): ModelError {
  const { code, message } = causeOf(error);
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const address = `${url.hostname}:${port}`;
  const meaning = unreachable[code ?? ''];
  if (meaning !== undefined || final.test(code ?? '')) {
    const why = [code, meaning ?? message].join(': ');
    return {
      code: 'E_MODEL_UNREACHABLE',
      message: `The model provider at ${address} cannot be reached (${why}); check baseUrl`,
      retryable: !final.test(code ?? ''),
    };
  }
  return {
    code: 'E_MODEL_UNAVAILABLE',
    message: `The connection to the model provider at ${address} failed: ${code ?? message}`,
    retryable: true,
  };
}

/** Returns the socket error inside the error of `fetch`; with several addresses, that of the first one. */
function causeOf(error: unknown): { readonly code: string | undefined; readonly message: string } {
  const { cause, message } = error as Error;
  const first = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  const code = codeOf(cause) ?? codeOf(first) ?? codeOf(error);
  return { code, message: first instanceof Error && first.message !== '' ? first.message : message };
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
