/** Returns the built document for a server that mounts it under `basePath` and whose API is at `apiBase`. */
export function documentFor(
  built: string,
  { basePath, apiBase }: { readonly basePath: string; readonly apiBase: string },
): string {
  // As functions, because the inserted text may contain `$&`.
  return built
    .replace('<base href="/" />', () => `<base href="${attribute(`${basePath}/`)}" />`)
    .replace('name="ravi-api" content="/v1"', () => `name="ravi-api" content="${attribute(apiBase)}"`);
}

function attribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Returns the content security policy of the page: only its own server, and the server of the API. */
export function contentPolicy(apiBase: string): string {
  const api = URL.canParse(apiBase) ? ` ${new URL(apiBase).origin}` : '';
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `connect-src 'self'${api}`,
    `img-src 'self'${api}`,
    // The browser's viewer for documents that the page itself has fetched.
    'frame-src blob:',
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}
