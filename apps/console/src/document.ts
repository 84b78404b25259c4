/** Returns the built document for a server that mounts it under `basePath` and whose API is served at `serverUrl`. */
export function documentFor(
  built: string,
  { basePath, serverUrl }: { readonly basePath: string; readonly serverUrl: string },
): string {
  // As functions, because the inserted text may contain `$&`.
  return built
    .replace('<base href="/" />', () => `<base href="${attribute(`${basePath}/`)}" />`)
    .replace('name="ravi-server" content=""', () => `name="ravi-server" content="${attribute(serverUrl)}"`);
}

function attribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Returns the content security policy of the page: only its own server, and the server of the API. */
export function contentPolicy(serverUrl: string): string {
  const api = URL.canParse(serverUrl) ? ` ${new URL(serverUrl).origin}` : '';
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
