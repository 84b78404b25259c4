/** The built document for a server that mounts it under `basePath` and whose API lies at `apiBase`. */
export function documentFor(
  built: string,
  { basePath, apiBase }: { readonly basePath: string; readonly apiBase: string },
): string {
  // As functions, because a text to put in may hold `$&`.
  return built
    .replace('<base href="/" />', () => `<base href="${attribute(`${basePath}/`)}" />`)
    .replace('name="ravi-api" content="/v1"', () => `name="ravi-api" content="${attribute(apiBase)}"`);
}

function attribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
