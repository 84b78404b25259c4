/** Typical scripts of models that succeed with the office tools: all of them must pass the check. */
export const goodScripts: Readonly<Record<string, string>> = {
  'one call': `const weather = await tools.get_weather({ city: 'Oslo' });
return weather.degrees;`,
  'optional arguments': `return (await tools.get_weather({ city: 'Oslo', unit: 'F' })).conditions`,
  'no arguments at all': `const { iso } = await tools.get_time();
return iso.slice(0, 10);`,
  'calls side by side': `const cities = ['Oslo', 'Rome', 'Lima'];
const all = await Promise.all(cities.map((city) => tools.get_weather({ city })));
return all.map(({ city, degrees }) => city + ': ' + degrees);`,
  'grouping into an empty object': `const totals = {};
for (const order of await tools.list_orders()) {
  totals[order.customer] = (totals[order.customer] || 0) + order.cents;
}
return Object.entries(totals).sort((a, b) => b[1] - a[1]);`,
  'grouping with a reducer': `const orders = await tools.list_orders({ limit: 10 });
const byStatus = orders.reduce((acc, o) => { (acc[o.status] ??= []).push(o.id); return acc; }, {});
return byStatus;`,
  'grouping with the newest library': `const groups = Object.groupBy(await tools.list_orders({}), (order) => order.status);
return Object.keys(groups).toSorted();`,
  'an object that grows': `const report = { lines: [] };
const { items, total_count } = await tools.search_issues({ query: 'crash', state: 'all' });
report.count = total_count;
report.lines.push(...items.map((issue) => \`#\${issue.number} \${issue.title} (\${issue.user.login})\`));
report.labels = [...new Set(items.flatMap((issue) => issue.labels.map((label) => label.name)))];
return report;`,
  'arguments that grow': `const args = { query: 'crash' };
args.state = 'open';
if (true) args.labels = ['bug'];
return (await tools.search_issues(args)).total_count;`,
  'required arguments that are added later': `const mail = {};
mail.to = ['ada@example.test'];
mail.subject = 'Hello';
return await tools.send_mail(mail);`,
  'spread arguments': `const base = { owner: 'acme', repo: 'site' };
const made = await tools['github.create_issue']({ ...base, title: 'Broken link' });
return made.html_url;`,
  'annotated results': `interface Row { id: number; cents: number; late?: boolean }
const rows: Row[] = await tools.list_orders({ customer: 'customer-1' });
for (const row of rows) row.late = row.cents > 2_000;
return rows.filter((row) => row.late).length;`,
  'properties added to results': `const orders = await tools.list_orders({ limit: 3 });
for (const order of orders) order.euros = order.cents / 100;
return orders.map((order) => order.euros);`,
  'properties added to strict results': `const { items } = await tools.search_issues({ query: 'crash' });
items.forEach((issue) => Object.assign(issue, { days: 3 }));
return items.sort((a, b) => a.days - b.days).map((issue) => issue.days);`,
  'a defensive reading': `const weather = await tools.get_weather({ city: 'Oslo' });
const degrees = weather.degree ?? weather.temperature ?? weather.degrees;
if (weather.error) return 'failed';
return Array.isArray(weather.list) ? weather.list.length : degrees;`,
  'a strict result read with doubts': `const result = await tools.search_issues({ query: 'x' });
const list = result.issues || result.items || [];
return list.length;`,
  'a condition and then the property': `const found = await tools.refund_order({ id: 1, cents: 100 });
if (found.warning) console.warn(found.warning);
return found.refunded;`,
  'failures that are expected': `let refunded = 0;
for (const order of await tools.list_orders({ status: 'open' })) {
  try {
    refunded += (await tools.refund_order({ id: order.id, cents: 100, reason: 'late' })).refunded;
  } catch (error) {
    if (error instanceof ToolDeniedError) continue;
    console.error(error.code, error.retryAfterMs, error.message);
  }
}
return refunded;`,
  'the envelope': `const result = await tools.get_weather.safe({ city: 'Oslo' });
if (result.status !== 'ok') return result.error.message;
return [result.value.degrees, result.text.length, result.structured.city, result.artifactRef ?? null];`,
  'settled promises': `const results = await Promise.allSettled([1, 2, 3].map((id) => tools.refund_order({ id, cents: 50 })));
return results.filter((r) => r.status === 'fulfilled').map((r) => r.value.refunded);`,
  'a promise that is awaited later': `const weather = tools.get_weather({ city: 'Oslo' });
const time = tools.get_time({});
return [(await weather).degrees, (await time).unix];`,
  'then and catch': `return tools.read_file({ path: 'config.json' }).then((text) => JSON.parse(text)).catch(() => ({}));`,
  'text without a schema': `const csv = await tools.read_file({ path: 'data.csv' });
const [header, ...lines] = csv.trim().split('\\n');
const keys = header.split(',');
const rows = lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [keys[i], cell])));
return rows.filter((row) => row.name === 'ada').reduce((sum, row) => sum + Number(row.amount), 0);`,
  'a JSON text': `const { limits } = JSON.parse(await tools.read_file({ path: 'config.json' }));
return limits.daily * 2;`,
  'rows of any shape': `const { rows, row_count } = await tools.query_database({ sql: 'select name, total from sales', params: [] });
return rows.map((row) => row.name + row.total).concat(String(row_count));`,
  'an artifact or a text': `const page = await tools.download({ url: 'https://example.test/large' });
const text = typeof page === 'string' ? page : await page.text();
return text.length;`,
  'an artifact read in parts': `const page = await tools.download({ url: 'https://example.test/large' });
let count = 0;
for await (const line of page.lines()) if (line) count++;
return [count, page.size, (await page.bytes(0, 4)).length];`,
  'an artifact as an argument': `const page = await tools.download({ url: 'https://example.test/large' });
return (await tools.write_file({ path: 'copy.html', content: page })).bytes;`,
  'a ref as an argument': `const page = await tools.download({ url: 'https://example.test/large' });
return (await tools.write_file({ path: 'copy.html', content: { $artifact: page.ref } })).bytes;`,
  'a nested argument': `return tools.send_mail({ to: ['a@b.test'], subject: 'Hi', body: null, options: { priority: 'high', tags: ['x'] } });`,
  'a choice of arguments': `const urgent = (await tools.get_time()).unix > 0;
return tools.send_mail({ to: ['a@b.test'], subject: urgent ? 'Now' : 'Later', options: { priority: urgent ? 'high' : 'low' } });`,
  'a tool by a computed name': `const names = ['get_time', 'get_weather'];
const results = [];
for (const name of names) results.push(await tools[name]({ city: 'Oslo' }));
return results.length;`,
  'tools taken apart': `const { get_weather, list_orders: list } = tools;
return [(await get_weather({ city: 'Oslo' })).degrees, (await list()).length];`,
  'a tool looked for on purpose': `let weather;
try {
  weather = await tools.get_weather_v2({ city: 'Oslo' });
} catch {
  weather = await tools.get_weather({ city: 'Oslo' });
}
return weather.degrees;`,
  'a tool looked for by its envelope': `const first = await tools.get_weathers.safe({ city: 'Oslo' });
return first.status === 'ok' ? first.value : (await tools.get_weather({ city: 'Oslo' })).degrees;`,
  'tools that are searched': `const { tools: found } = await tools.search('weather of a city', { limit: 3 });
return [found.length > 0, (await tools.describe('get_weather', 'summary')).length > 0];`,
  'an arrow function around everything': `async () => {
  const { degrees } = await tools.get_weather({ city: 'Oslo' });
  return degrees;
}`,
  'a main function': `async function main() {
  const orders = await tools.list_orders({ customer: 'customer-2' });
  return orders.at(-1)?.items[0].sku;
}
return main();`,
  'a default export': `export default async function run() {
  return (await tools.get_time()).iso;
}`,
  'a Markdown fence': '```ts\nconst time: { iso: string } = await tools.get_time();\nreturn time.iso;\n```',
  'an object literal at the end': `const { degrees } = await tools.get_weather({ city: 'Oslo' });
({ degrees, warm: degrees > 20 })`,
  'names without declaration': `total = 0;
for (order of await tools.list_orders({})) total += order.cents;
return total;`,
  'a retry with pauses': `async function retry(run, times = 3) {
  for (let i = 0; ; i++) {
    try { return await run(); } catch (e) { if (i >= times || !e.retryable) throw e; await sleep(10 * 2 ** i); }
  }
}
return (await retry(() => tools.get_weather({ city: 'Oslo' }))).conditions;`,
  'a pool of workers': `const queue = (await tools.list_orders({})).map((o) => o.id);
const done = [];
await Promise.all(Array.from({ length: 3 }, async () => {
  for (let id; (id = queue.shift()) !== undefined;) done.push((await tools.refund_order({ id, cents: 1 })).id);
}));
return done.length;`,
  'classes, enums and generics': `enum Size { Small = 1, Large }
class Counter<Key> {
  private counts = new Map<Key, number>();
  add(key: Key) { this.counts.set(key, (this.counts.get(key) ?? 0) + 1); return this; }
  get top() { return [...this.counts].sort((a, b) => b[1] - a[1])[0]; }
}
const counter = new Counter<string>();
for (const order of await tools.list_orders()) counter.add(order.cents > 2_000 ? Size[Size.Large] : Size[Size.Small]);
return counter.top;`,
  'dates, expressions and formats': `const [order] = await tools.list_orders({ limit: 1 });
const age = (new Date('2026-04-01') - new Date(order.placed_at)) / 86_400_000;
const match = /SKU-(?<n>\\d+)/.exec(order.items[0].sku);
return [Math.floor(age), match.groups.n, new Intl.NumberFormat('en').format(order.cents), btoa('x')];`,
  'the newest methods': `const ids = new Set((await tools.list_orders({})).map((o) => o.id));
const few = ids.values().filter((id) => id > 3).take(2).toArray();
return [...ids.intersection(new Set(few)), few.toReversed().with(0, 9), await Array.fromAsync(few)];`,
  'names that look like a tool': `const get_weater = (city) => tools.get_weather({ city });
return (await get_weater('Oslo')).degrees;`,
  'an own object called tools': `async function inner(tools) { return tools.anything_at_all(1, 2); }
return inner({ anything_at_all: (a, b) => a + b });`,
  'a tool with a failure that leads elsewhere': `return await tools.get_weathr({ city: 'Oslo' }).catch(() => tools.get_time());`,
  'a handler before the failure': `return await tools.get_weathr({ city: 'Oslo' }).then((w) => w.degrees).catch(() => tools.get_time());`,
  'a tool that is asked for': `if ('get_weather_v2' in tools) return tools.get_weather_v2({ city: 'Oslo' });
if (tools.list_order && false) return tools.list_order({});
const { tools: found } = await tools.search('refund');
if (found.some(({ name }) => name === 'refund_orders')) await tools.refund_orders({ ids: [1] });
return typeof get_time === 'function' ? get_time() : tools.get_time();`,
  'a property that is asked for': `const issue = (await tools.search_issues({ query: 'x' })).items[0];
return Object.hasOwn(issue, 'priority') ? issue.priority : issue.title;`,
  'a reading that is tried otherwise': `const result = await tools.search_issues({ query: 'x' });
try {
  return result.data.issues.length;
} catch {
  return result.items.length;
}`,
  'a name with escapes': `return (await tools['get\\u005fweather']({ city: 'Oslo' })).degrees;`,
};
