import { accessSync, constants } from 'node:fs';
import { KernelError } from '@ravi/kernel';
import type { Logger } from '@ravi/kernel';
import { createJavascriptEngine } from './javascript-engine.ts';
import { createRipgrepEngine } from './ripgrep-engine.ts';
import type { SearchEngine } from './search-engine.ts';

/** Choice of the engine: `auto` is ripgrep where its package has a program for this system. */
export type EngineChoice = 'auto' | 'ripgrep' | 'javascript';

/**
 * Opens the engine of a configuration.
 * @throws KernelError `E_CONFIG_INVALID` for `ripgrep` on a system without it
 */
export async function openEngine(choice: EngineChoice, logger: Logger): Promise<SearchEngine> {
  if (choice === 'javascript') return createJavascriptEngine();
  try {
    // The package throws while it loads if it has no program for this system.
    const { rgPath } = await import('@vscode/ripgrep');
    accessSync(rgPath, constants.X_OK);
    return createRipgrepEngine(rgPath);
  } catch (error) {
    if (choice === 'ripgrep') {
      throw new KernelError('E_CONFIG_INVALID', 'There is no ripgrep for this system: set "engine" to "auto"', {
        cause: error,
      });
    }
    logger.info('searching without ripgrep, which has no program for this system', {});
    return createJavascriptEngine();
  }
}
