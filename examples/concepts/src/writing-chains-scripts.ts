/** A script, how its call ends, and the tools that it calls. */
export interface WrittenChain {
  readonly code: string;
  readonly status: 'ok' | 'error';
  readonly calls: readonly string[];
}

/** Scripts in TypeScript as a model writes them, each with what it has to learn from the answer. */
export const typescriptChains: Readonly<Record<string, WrittenChain>> = {
  run: {
    code: `
const orders = await tools.list_orders({ customer: 'customer-7' });
const smallest = orders.toSorted((a, b) => a.cents - b.cents).slice(0, 3);
const refunds = await Promise.all(smallest.map(({ id }) => tools.refund_order({ id, cents: 100 })));
return { of: orders.length, refunded: refunds.map((refund) => refund.id) };`,
    status: 'ok',
    calls: ['list_orders', 'refund_order', 'refund_order', 'refund_order'],
  },
  search: {
    code: `
const { showing, tools: found } = await tools.search('give money back', { limit: 2 });
return [showing, found[0], await tools.describe(found[0].name)];`,
    status: 'ok',
    calls: [],
  },
  mistaken: {
    code: `
const [order] = await tools.list_orders({ customer: 'customer-7' });
await tools.refund_orders({ id: order.id, cents: 100 });
return order.cent;`,
    status: 'error',
    calls: [],
  },
  failing: {
    code: `
await tools.refund_order({ id: 1, cents: 100 });
const [order] = await tools.list_orders({ customer: 'customer-99' });
await tools.refund_order({ id: order.id, cents: 100 });`,
    status: 'error',
    calls: ['refund_order', 'list_orders'],
  },
  denied: {
    code: `
const [order] = await tools.list_orders({ customer: 'customer-7' });
try {
  return await tools.refund_order({ id: order.id, cents: 9_900 });
} catch (error) {
  if (!(error instanceof ToolDeniedError)) throw error;
  return { code: error.code, retryable: error.retryable, message: error.message };
}`,
    status: 'ok',
    calls: ['list_orders', 'refund_order'],
  },
  large: {
    code: `
console.log('all orders of the shop');
return tools.list_orders();`,
    status: 'ok',
    calls: ['list_orders'],
  },
  file: {
    code: `
const { files } = await tools.chart_orders.safe({ customer: 'customer-7' });
const chart = await file(files[0].path);
return { path: chart.path, type: chart.mediaType, start: (await chart.text()).slice(0, 4) };`,
    status: 'ok',
    calls: ['chart_orders'],
  },
};

/** The same in Python. */
export const pythonChains: Readonly<Record<string, WrittenChain>> = {
  python: {
    code: `
import asyncio

orders = tools.list_orders(customer="customer-7")
smallest = sorted(orders, key=lambda order: order["cents"])[:3]
refunds = await asyncio.gather(*[tools.refund_order(id=o["id"], cents=100) for o in smallest])
return {"of": len(orders), "refunded": [refund["id"] for refund in refunds]}`,
    status: 'ok',
    calls: ['list_orders', 'refund_order', 'refund_order', 'refund_order'],
  },
  'python-mistaken': {
    code: `
order = tools.list_orders(customer="customer-7")[0]
tools.refund_orders(id=order["id"], cents=100)`,
    status: 'error',
    calls: [],
  },
  'python-denied': {
    code: `
order = tools.list_orders(customer="customer-7")[0]
try:
    tools.refund_order(id=order["id"], cents=9_900)
except PermissionError as error:
    result = [type(error).__name__, error.code, str(error)]`,
    status: 'ok',
    calls: ['list_orders', 'refund_order'],
  },
  'python-files': {
    code: `
chart = tools.chart_orders(customer="customer-7").files[0]
with open(chart) as drawn, open("/workspace/out/chart.svg", "w") as kept:
    kept.write(drawn.read().replace("black", "teal"))
chart.path()`,
    status: 'ok',
    calls: ['chart_orders'],
  },
};
