import axe from 'axe-core';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe-core finds wrong with the page as it stands, best practices included: one line for each element. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  // By the debugger and not as a script of the page, whose security policy forbids that.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
}
