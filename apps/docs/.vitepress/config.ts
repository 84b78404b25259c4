import { defineConfig } from 'vitepress';
import type { DefaultTheme, UserConfig } from 'vitepress';
import { drawDiagrams } from '../src/draw-diagrams.ts';
import { sidebar } from '../src/navigation.ts';
import { pageAddress } from '../src/pages.ts';
import { allMarkdownFiles } from '../src/repository.ts';
import { resolveLinks } from '../src/resolve-links.ts';
import { searchOptions } from '../src/search.ts';
import { slug } from '../src/links.ts';

// The site has a first page of its own in place of the repository's README.
const isPage = (path: string): boolean => path !== 'README.md' && pageAddress(path) !== undefined;

const config: UserConfig<DefaultTheme.Config> = defineConfig({
  title: 'Ravi',
  description: 'The tool runtime for LLM agents: every call of a model or of its script passes one inspector.',
  lang: 'en',
  // An empty icon, so that browsers do not request one.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: '../..',
  srcExclude: allMarkdownFiles().filter((path) => !isPage(path)),
  outDir: './dist',
  cacheDir: './node_modules/.vitepress',
  rewrites: (path) => `${pageAddress(path) ?? path.replace(/\.md$/, '')}.md`,
  markdown: {
    anchor: { slugify: slug },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => {
      resolveLinks(markdown);
      drawDiagrams(markdown);
    },
  },
  themeConfig: {
    nav: [
      { text: 'Getting started', link: '/start/run-ravi' },
      { text: 'Guides', link: '/write-a-tool' },
      { text: 'Reference', link: '/reference/configuration' },
      { text: 'Comparison', link: '/comparison' },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { miniSearch: { options: searchOptions } } },
  },
});

export default config;
