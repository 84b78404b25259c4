// #region interceptor
import { definePlugin } from '@ravi/kernel';
import type { Interceptor, Plugin } from '@ravi/kernel';

/** Options of the plugin. */
export interface FolderOptions {
  /** Calls whose argument `path` is outside of this folder are denied. */
  readonly folder: string;
}

/** Keeps calls with a path inside of one folder, and tells the model what to do when its budget is used up. */
export function createFolderInterceptor({ folder }: FolderOptions): Interceptor {
  return {
    beforeTool({ args: { path } }) {
      if (typeof path !== 'string') return { action: 'continue' };
      const isInside = path.startsWith(`${folder}/`) && !path.split('/').includes('..');
      return isInside ? { action: 'continue' } : { action: 'deny', reason: `Use a path that begins with ${folder}/` };
    },
    budgetExceeded: (_call, result) => ({ ...result, text: `${result.text} Answer with what you know.` }),
  };
}

const plugin: Plugin<'interceptor', FolderOptions> = definePlugin({
  name: 'one-folder',
  port: 'interceptor',
  configSchema: {
    type: 'object',
    properties: { folder: { type: 'string', minLength: 1 } },
    required: ['folder'],
    additionalProperties: false,
  },
  create: createFolderInterceptor,
});
export default plugin;
// #endregion
