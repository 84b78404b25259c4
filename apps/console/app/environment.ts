/** Base path of the console, without a trailing slash; the server writes it into the document. */
export const basePath: string = new URL(document.baseURI).pathname.replace(/\/[^/]*$/, '');

/** Base address of the API, without a trailing slash. */
export const apiBase: string =
  document.querySelector<HTMLMetaElement>('meta[name="ravi-api"]')?.content.replace(/\/$/, '') ?? '/v1';
