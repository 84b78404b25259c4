export { accessibilityProblems, missingBrowser, openBrowser } from './browser.ts';
export type { BrowserPage, PageOptions, TestBrowser } from './browser.ts';
