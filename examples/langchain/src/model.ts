import { AIMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';

const code = `
const orders = await tools.list_orders({});
return Promise.all(orders.map(({ order }) => tools.refund_order({ order })));`;

/** Model that runs one script and then reports. */
export const model: ReturnType<typeof fakeModel> = fakeModel()
  .respondWithTools([{ id: 'call-1', name: 'tool_chain', args: { code } }])
  .respond(new AIMessage('All orders are refunded.'));
