/** The content security policy of the page: everything comes from its own server, and the API from where it lies. */
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
