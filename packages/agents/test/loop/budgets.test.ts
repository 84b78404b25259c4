import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createScriptedModel } from '@ravi/testkit';
import { ReActAgent } from '../../src/index.ts';
import type { AgentContext, AgentMiddleware } from '../../src/index.ts';

test('a run that ends while its view is made reserves nothing for the answer that is not asked for', async () => {
  let context: AgentContext | undefined;
  const stopped = (): ReActAgent =>
    new ReActAgent({
      name: 'worker',
      model: createScriptedModel([{ text: 'never' }]),
      middleware: [
        {
          turn(own, next) {
            context = own;
            return next();
          },
        },
      ],
      view: {
        async view(messages) {
          context?.stop('enough');
          return messages;
        },
      },
    });
  const spawning: AgentMiddleware = {
    async turn(own, next) {
      for (let time = 0; time < 3; time++) {
        assert.equal((await own.join(own.spawn(stopped(), 'Look'))).status, 'stopped');
      }
      await next();
    },
  };
  const model = createScriptedModel([{ text: 'ok' }]);
  const agent = new ReActAgent({ name: 'lead', model, middleware: [spawning], budget: { maxTokens: 2_500 } });
  assert.equal((await agent.run('go')).status, 'completed');
});
