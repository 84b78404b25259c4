import assert from 'node:assert/strict';
import { join } from 'node:path';
import { accessibilityProblems } from '@ravi/test-browser';
import type { BrowserPage } from '@ravi/test-browser';
import { repository } from './repository.ts';

/** Folder for screenshots of pages. */
export const screenshots: string = join(repository, 'artifacts/console');

const looks = (['light', 'dark'] as const).flatMap((theme) => [1_280, 390].map((width) => ({ theme, width })));

const sidewaysPixels = 'scrollTo(10_000, 0), scrollX';

/** Checks a page in both themes, wide and narrow: no accessibility barrier, no error, no overflow. */
export async function checkLooks({ page, errors }: BrowserPage, name: string): Promise<void> {
  for (const { theme, width } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.screenshot({ path: join(screenshots, `${name}-${theme}-${width}.png`) });
    assert.deepEqual(await accessibilityProblems(page), [], `${theme}, ${width} pixels`);
    assert.equal(await page.evaluate(sidewaysPixels), 0, `${width} pixels are too few`);
  }
  assert.deepEqual(errors, []);
}
