/** Headers of every response: browsers must not run, frame, cache or sniff it, nor let another site read it. */
export const safeHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Creates a response with a JSON body, or without one. */
export function answer(status: number, body?: object, headers: Readonly<Record<string, string>> = {}): Response {
  if (body === undefined) return new Response(null, { status, headers: { ...safeHeaders, ...headers } });
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...safeHeaders, 'content-type': 'application/json; charset=utf-8', ...headers },
  });
}
