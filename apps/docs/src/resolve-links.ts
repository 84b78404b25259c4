import { relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { targetOf } from './links.ts';
import { pageAddress } from './pages.ts';
import { root } from './repository.ts';

/**
 * Makes links between files of the repository links between pages of the site. What is no page, such as a source file,
 * becomes its path: the site shows documentation and no source.
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
