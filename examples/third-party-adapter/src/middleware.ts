// #region middleware
import { definePlugin } from '@ravi/kernel';
import type { Plugin, RunMiddleware } from '@ravi/kernel';

/** Options of the plugin. */
export interface TeamOptions {
  /** Label of requests in the provider's own logs. */
  readonly team: string;
}

/** Labels every request with a team, and ends a run whose model repeats a whole step. */
export function createTeamMiddleware({ team }: TeamOptions): RunMiddleware {
  return {
    model: (request, next) => next({ ...request, metadata: { ...request.metadata, team } }),
    async step(context, next) {
      await next();
      const responses = context.messages.filter(({ role }) => role === 'assistant');
      const calls = responses.slice(-2).map(({ content }) => content.filter(({ type }) => type === 'tool_use'));
      const [before, last] = calls.map((blocks) => JSON.stringify(blocks, (key, value) => (key === 'id' ? '' : value)));
      if (calls.length === 2 && last !== '[]' && before === last) context.stop('The model repeats the same calls');
    },
  };
}

const plugin: Plugin<'middleware', TeamOptions> = definePlugin({
  name: 'team',
  port: 'middleware',
  configSchema: {
    type: 'object',
    properties: { team: { type: 'string', minLength: 1 } },
    required: ['team'],
    additionalProperties: false,
  },
  create: createTeamMiddleware,
});
export default plugin;
// #endregion
