export { accessibilityProblems } from './accessibility.ts';
export { missingBrowser, openBrowser } from './browser.ts';
export type { BrowserPage, PageOptions, TestBrowser } from './browser.ts';
