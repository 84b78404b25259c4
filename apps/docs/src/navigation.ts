import type { DefaultTheme } from 'vitepress';
import { pageAddress, pageTitle } from './pages.ts';
import { markdownFiles } from './repository.ts';

interface Group {
  readonly text: string;
  /** Paths of pages in their order; `…` stands for all others that `has` names. */
  readonly pages: readonly string[];
  readonly has?: RegExp;
  readonly collapsed?: boolean;
}

const rest = '…';

const groups: readonly Group[] = [
  { text: 'Start', pages: ['docs/README.md', 'docs/getting-started.md', 'docs/architecture.md'] },
  {
    text: 'Concepts',
    pages: [
      'docs/concepts/tools.md',
      'docs/concepts/invoker.md',
      'docs/concepts/approval.md',
      'docs/concepts/artifacts.md',
      'docs/concepts/chains.md',
      'docs/concepts/sandboxes.md',
      'docs/concepts/agents.md',
      rest,
    ],
    has: /^docs\/concepts\//,
  },
  {
    text: 'Guides',
    pages: [
      'docs/write-a-tool.md',
      'docs/writing-chains.md',
      'docs/real-models.md',
      'docs/write-an-adapter.md',
      rest,
      'docs/deploy.md',
    ],
    has: /^docs\/(?!README|review)[^/]+\.md$/,
  },
  { text: 'Reference', pages: [rest], has: /^docs\/reference\// },
  { text: 'Judge it', pages: ['docs/comparison.md', 'bench/README.md', 'docs/security.md', 'SECURITY.md'] },
  { text: 'Packages', pages: [rest], has: /^(?:packages|apps)\/.+\/README\.md$/, collapsed: true },
  { text: 'Examples', pages: [rest], has: /^examples\//, collapsed: true },
  { text: 'Decisions', pages: [rest], has: /^docs\/decisions\//, collapsed: true },
  { text: 'Contribute', pages: ['CONTRIBUTING.md', 'AGENTS.md', 'docs/review.md'], collapsed: true },
];

/** The side bar: every page of the site once, named by its first heading. */
export function sidebar(): DefaultTheme.SidebarItem[] {
  const named = new Set(groups.flatMap(({ pages }) => pages));
  const others = markdownFiles().filter((path) => !named.has(path) && path !== 'README.md' && pageAddress(path));
  return groups.map(({ text, pages, has, collapsed }) => ({
    text,
    ...(collapsed === undefined ? {} : { collapsed }),
    items: pages.flatMap((page) => (page === rest ? others.filter((path) => has?.test(path)) : [page])).map(item),
  }));
}

function item(path: string): DefaultTheme.SidebarItem {
  return { text: pageTitle(path), link: `/${pageAddress(path)}` };
}
