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
  {
    text: 'Getting started',
    pages: [
      'docs/README.md',
      'docs/start/run-ravi.md',
      'docs/start/first-tool.md',
      'docs/start/code-mode.md',
      'docs/start/approvals.md',
      'docs/start/agents.md',
    ],
  },
  {
    text: 'Guides: tools and scripts',
    pages: [
      'docs/write-a-tool.md',
      'docs/concepts/tools.md',
      'docs/guides/tools.md',
      'docs/writing-chains.md',
      'docs/concepts/chains.md',
      'docs/concepts/durable-chains.md',
      'docs/concepts/saved-scripts.md',
      'docs/concepts/discovery.md',
      'docs/concepts/artifacts.md',
    ],
  },
  {
    text: 'Guides: safety',
    pages: [
      'docs/concepts/invoker.md',
      'docs/concepts/approval.md',
      'docs/concepts/elicitation.md',
      'docs/concepts/completion.md',
      'docs/concepts/sandboxes.md',
      'docs/guides/tools-per-caller.md',
      'docs/security.md',
    ],
  },
  {
    text: 'Guides: agents',
    pages: [
      'docs/concepts/agents.md',
      'docs/real-models.md',
      'docs/concepts/skills.md',
      'docs/concepts/jobs.md',
      'docs/concepts/memory-and-messages.md',
      'docs/concepts/triggers.md',
      'docs/concepts/engines.md',
      'docs/guides/streaming.md',
      'docs/guides/mcp-servers.md',
      'docs/guides/mcp-gateway.md',
      'docs/concepts/mcp.md',
      'docs/guides/openapi.md',
      'docs/guides/frameworks.md',
    ],
  },
  {
    text: 'Guides: operation',
    pages: [
      'docs/deploy.md',
      'docs/guides/several-servers.md',
      'docs/guides/remote-sandboxes.md',
      'docs/concepts/durability.md',
      'docs/concepts/observability.md',
      'docs/guides/bundling.md',
      'docs/write-an-adapter.md',
      'docs/guides/change-a-running-server.md',
      'docs/guides/upgrading.md',
      'docs/guides/troubleshooting.md',
    ],
  },
  {
    text: 'Reference',
    pages: [
      rest,
      'docs/glossary.md',
      'docs/comparison.md',
      'docs/bypass.md',
      'docs/tools-compared.md',
      'docs/mcp-conformance.md',
      'docs/claims.md',
      'bench/README.md',
    ],
    has: /^docs\/reference\//,
  },
  { text: 'Packages', pages: [rest], has: /^(?:packages|apps)\/.+\/README\.md$/, collapsed: true },
  { text: 'Examples', pages: [rest], has: /^examples\//, collapsed: true },
];

/** True for pages about the project itself. They are reached by links and search, not by the sidebar. */
export function isInternal(path: string): boolean {
  return /^docs\/(?:decisions\/.+|architecture|load|review)\.md$|^(?:AGENTS|CONTRIBUTING|SECURITY)\.md$/.test(path);
}

/** Returns the sidebar: every page for readers once, named by its first heading. */
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
