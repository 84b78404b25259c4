import { relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { targetOf } from './links.ts';
import { pageAddress } from './pages.ts';
import { root } from './repository.ts';

/**
 * Turns links between files of the repository into links between pages of the site. A link to any other file, such as a
 * source file, becomes plain text with its path, because the site does not show source code.
 */
export function resolveLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const from = relative(root, env.realPath ?? env.path).replaceAll('\\', '/');
    for (const { children } of tokens) {
      let isSource = false;
      for (const token of children ?? []) {
        if (token.type === 'link_close' && isSource) {
          token.tag = 'span';
          isSource = false;
        }
        if (token.type !== 'link_open') continue;
        const href = token.attrGet('href') ?? '';
        const target = href.startsWith('#') ? undefined : targetOf(from, href);
        if (target === undefined) continue;
        const address = pageAddress(target.path);
        if (address !== undefined) {
          token.attrSet('href', `/${address}.md${target.anchor === '' ? '' : `#${target.anchor}`}`);
          continue;
        }
        isSource = true;
        token.type = 'source_open';
        token.tag = 'span';
        token.attrs = [
          ['class', 'source'],
          ['title', target.path],
        ];
      }
    }
  });
}
