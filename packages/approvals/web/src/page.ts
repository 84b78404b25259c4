import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The approval page: one document without any data, and the content security policy that fits it. */
export interface ApprovalPage {
  readonly html: string;
  readonly policy: string;
}

// In the order of their imports: each uses only the scripts before it.
const scripts = ['dom', 'text', 'api', 'arguments', 'forms', 'input', 'card', 'board', 'live', 'history', 'main'];

/** Inlines style and scripts of the folder `page` into its document. */
export function loadPage(): ApprovalPage {
  const style = read('style.css');
  const script = scripts.map((name) => withoutModules(read(`${name}.js`))).join('\n');
  // As functions, because a text to put in may hold `$&`.
  const html = read('index.html')
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script type="module"></script>', () => `<script type="module">${script}</script>`);
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  return { html, policy };
}

/** Reads a file of the folder `page`, which is next to both `src` and `dist`. */
function read(name: string): string {
  return readFileSync(new URL(`../page/${name}`, import.meta.url), 'utf8');
}

/** Removes imports and exports: the imported modules come earlier in the same script. */
function withoutModules(source: string): string {
  return source.replaceAll(/^import [^;]*;\n/gm, '').replaceAll(/^export /gm, '');
}

function hashOf(content: string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}
