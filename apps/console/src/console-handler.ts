import { KernelError } from '@ravi/kernel';
import { documentFor, contentPolicy } from './document.ts';
import { loadFiles } from './files.ts';
import type { ConsoleFile } from './files.ts';

/** Options of {@link createConsoleHandler}. */
export interface ConsoleOptions {
  /** Path under which the server mounts the console; default `/`. */
  readonly basePath?: string;
  /** Address or path below which `/v1` of the API is served; default `''`, the server of the page. */
  readonly serverUrl?: string;
  /** Folder of the built page; by default the one in this package. */
  readonly folder?: string;
}

/** Serves requests for the console; never rejects. */
export interface ConsoleHandler {
  /**
   * Returns a file for the path of a file, the page for every other path below the base, so that each address can be
   * reloaded, 404 outside of the base, and 405 for methods that write.
   */
  fetch(request: Request): Response;
}

const safeHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * The console as a function of the Fetch standard, for any server. All files are read once, now.
 * @throws KernelError `E_CONFIG_INVALID` when the page was not built, or a path is none
 */
export function createConsoleHandler(options: ConsoleOptions = {}): ConsoleHandler {
  const basePath = trimSlash(options.basePath ?? '/');
  const serverUrl = trimSlash(options.serverUrl ?? '');
  checkBasePath(basePath);
  const files = loadFiles(options.folder);
  const html = documentFor(files.document, { basePath, serverUrl });
  const policy = contentPolicy(serverUrl);

  function answer(request: Request): Response {
    const { pathname } = new URL(request.url);
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, { allow: 'GET, HEAD' });
    if (pathname !== basePath && !pathname.startsWith(`${basePath}/`)) return refuse(404);
    const path = pathname.slice(basePath.length + 1);
    const file = files.assets.get(path);
    if (file !== undefined) return fileResponse(request, file);
    // A missing file must not respond with the page: browsers would run it as a script.
    return path.startsWith('assets/') ? refuse(404) : page(request);
  }

  function page({ method }: Request): Response {
    return new Response(method === 'HEAD' ? null : html, {
      headers: {
        ...safeHeaders,
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'content-type': 'text/html; charset=utf-8',
      },
    });
  }

  return { fetch: answer };
}

function fileResponse({ method, headers }: Request, { bytes, mediaType, tag }: ConsoleFile): Response {
  const caching = { 'cache-control': 'public, max-age=31536000, immutable', etag: tag };
  if (headers.get('if-none-match') === tag) return new Response(null, { status: 304, headers: caching });
  return new Response(method === 'HEAD' ? null : bytes, {
    headers: { ...safeHeaders, ...caching, 'content-type': mediaType, 'content-length': String(bytes.byteLength) },
  });
}

function refuse(status: 404 | 405, headers: Readonly<Record<string, string>> = {}): Response {
  const text = status === 404 ? 'There is nothing at this address.' : 'The console accepts only GET and HEAD.';
  return new Response(text, {
    status,
    headers: { ...safeHeaders, ...headers, 'content-type': 'text/plain; charset=utf-8' },
  });
}

function checkBasePath(basePath: string): void {
  if (basePath === '' || /^(\/[\w.~-]+)+$/.test(basePath)) return;
  throw new KernelError(
    'E_CONFIG_INVALID',
    `The base path "${basePath}" of the console is invalid; use "/" or a path such as "/console"`,
  );
}

function trimSlash(path: string): string {
  return path.replace(/\/+$/, '');
}
