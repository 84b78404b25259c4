import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds wrong with the page as it stands, best practices included: one line for each element. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  // By the debugger and not as a script of the page, whose security policy forbids that.
  await page.evaluate(source);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as AxeWindow).axe.run();
    return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
  });
}

interface AxeWindow {
  readonly axe: { run(): Promise<{ readonly violations: readonly Violation[] }> };
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}
