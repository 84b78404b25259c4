import { request } from 'node:http';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

/** A response of the endpoint, as text. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a message to the endpoint. Not fetch, which sets Host and Origin itself. */
export function sendRaw(
  url: string,
  message: unknown,
  headers: OutgoingHttpHeaders = {},
  method = 'POST',
): Promise<RawAnswer> {
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/mcp`, { method, headers: all, agent: false }, (response) => {
      const { statusCode: status = 0 } = response;
      text(response).then((content) => resolve({ status, headers: response.headers, text: content }), reject);
    });
    sent.on('error', reject);
    if (method === 'POST') sent.write(typeof message === 'string' ? message : JSON.stringify(message));
    sent.end();
  });
}
