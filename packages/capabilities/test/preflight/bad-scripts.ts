/** A script with a certain mistake: its position, message and suggestion. */
export interface BadScript {
  readonly code: string;
  readonly line: number;
  readonly column?: number;
  readonly message: string;
  readonly suggestion?: string;
}

/** Typical mistakes of models; each script would have an effect before it fails. */
export const badScripts: Readonly<Record<string, BadScript>> = {
  'a mistyped tool': {
    code: `await tools.write_file({ path: 'a', content: 'b' });\nreturn tools.get_wether({ city: 'Oslo' });`,
    line: 2,
    column: 14,
    message: 'There is no tool named "get_wether"',
    suggestion: 'Did you mean tools.get_weather(args)?',
  },
  'a mistyped tool before an object literal at the end': {
    code: `const time = await tools.get_tme();\n{\n  time,\n  "made": 1,\n}`,
    line: 1,
    column: 26,
    message: 'There is no tool named "get_tme"',
  },
  'a mistyped tool in an object literal at the end': {
    code: `const made = 1;\n{ made, "time": await tools.get_tme() }`,
    line: 2,
    column: 29,
    message: 'There is no tool named "get_tme"',
  },
  'a mistyped tool in an object literal at the end that is a block': {
    code: `const made = 1;\n{ made, await tools.get_tme() }`,
    line: 2,
    column: 21,
    message: 'There is no tool named "get_tme"',
  },
  'a mistyped tool in a default export': {
    code: `export default async function main() {\n  return tools.get_tme();\n}`,
    line: 2,
    column: 16,
    message: 'There is no tool named "get_tme"',
  },
  'a mistyped tool in a default export of a value': {
    code: `const made = 1;\nexport default { made, time: await tools.get_tme() };`,
    line: 2,
    column: 42,
    message: 'There is no tool named "get_tme"',
  },
  'a tool in camel case': {
    code: `await tools.get_time();\nconst all = await tools.listOrders({});`,
    line: 2,
    message: 'There is no tool named "listOrders"',
    suggestion: 'Did you mean tools.list_orders(args)?',
  },
  'a mistyped tool in brackets': {
    code: `await tools['github.createIssue']({ owner: 'a', repo: 'b', title: 'c' })`,
    line: 1,
    message: 'There is no tool named "github.createIssue"',
    suggestion: 'Did you mean tools["github.create_issue"](args)?',
  },
  'a mistyped tool in a try that only reports': {
    code: `try {\n  await tools.send_mails({ to: ['a'], subject: 'b' });\n} catch (error) {\n  return { error: error.message };\n}`,
    line: 2,
    message: 'There is no tool named "send_mails"',
    suggestion: 'Did you mean tools.send_mail(args)?',
  },
  'a mistyped tool in a function of a fenced script': {
    code: '```ts\nconst ids: number[] = [1, 2];\nasync function go() {\n  return Promise.all(ids.map((id) => tools.refund_orders({ id, cents: 1 })));\n}\nreturn go();\n```',
    line: 4,
    message: 'There is no tool named "refund_orders"',
    suggestion: 'Did you mean tools.refund_order(args)?',
  },
  'a tool by its bare name': {
    code: `await tools.get_time();\nreturn await get_weather({ city: 'Oslo' });`,
    line: 2,
    column: 14,
    message: 'get_weather is not defined: it is a tool',
    suggestion: 'Call it as tools.get_weather(args)',
  },
  'a missing argument': {
    code: `await tools.get_time();\nawait tools.write_file({ path: 'a.txt' });`,
    line: 2,
    message: 'tools.write_file needs the argument "content"',
    suggestion: 'Its arguments are { path, content }',
  },
  'no arguments where some are needed': {
    code: `return await tools.get_weather();`,
    line: 1,
    message: 'tools.get_weather needs the argument "city"',
    suggestion: 'Its arguments are { city, unit? }',
  },
  'an argument that is undefined': {
    code: `return tools.get_weather({ city: undefined });`,
    line: 1,
    message: 'tools.get_weather needs the argument "city"',
  },
  'several missing arguments of an envelope call': {
    code: `const r = await tools['github.create_issue'].safe({ title: 'x' });\nreturn r.status;`,
    line: 1,
    message: 'tools["github.create_issue"] needs the arguments "owner" and "repo"',
  },
  'a mistyped argument': {
    code: `await tools.get_time();\nreturn tools.get_weather({ citty: 'Oslo' });`,
    line: 2,
    column: 28,
    message: 'tools.get_weather has no argument "citty"',
    suggestion: 'Did you mean "city"?',
  },
  'a mistyped optional argument of an open tool': {
    code: `return tools.read_file({ path: 'a', encodng: 'utf8' });`,
    line: 1,
    message: 'tools.read_file has no argument "encodng"',
    suggestion: 'Did you mean "encoding"?',
  },
  'an invented argument of a closed tool': {
    code: `const id = 3;\nreturn tools.refund_order({ id, cents: 5, currency: 'EUR' });`,
    line: 2,
    message: 'tools.refund_order has no argument "currency"',
    suggestion: 'Its arguments are { id, cents, reason? }',
  },
  'a mistyped argument in a nested object': {
    code: `return tools.send_mail({ to: ['a'], subject: 'b', options: { prioritty: 'high' } });`,
    line: 1,
    message: 'tools.send_mail has no argument "options.prioritty"',
    suggestion: 'Did you mean "priority"?',
  },
  'a text where a number must be': {
    code: `return tools.refund_order({\n  id: 7,\n  cents: '100',\n});`,
    line: 3,
    message: 'tools.refund_order: the argument "cents" must be a whole number',
  },
  'a fraction where a whole number must be': {
    code: `return tools.refund_order({ id: 7, cents: 9.99 });`,
    line: 1,
    message: 'tools.refund_order: the argument "cents" must be a whole number',
  },
  'a text where a list must be': {
    code: `return tools.send_mail({ to: 'ada@example.test', subject: 'Hi' });`,
    line: 1,
    message: 'tools.send_mail: the argument "to" must be an array',
  },
  'a number in a list of texts': {
    code: `return tools.send_mail({ to: ['ada@example.test', 5], subject: 'Hi' });`,
    line: 1,
    message: 'tools.send_mail: the argument "to[1]" must be text',
  },
  'a value that is not among the allowed ones': {
    code: `const unit = 'Celsius';\nreturn tools.get_weather({ city: 'Oslo', unit });`,
    line: 2,
    column: 42,
    message: 'tools.get_weather: the argument "unit" must be "C" or "F"',
  },
  'a mistyped value': {
    code: `return tools.search_issues({ query: 'x', state: 'opened' });`,
    line: 1,
    message: 'tools.search_issues: the argument "state" must be "open", "closed" or "all"',
    suggestion: 'Did you mean "open"?',
  },
  'positional arguments': {
    code: `await tools.get_time();\nreturn tools.get_weather('Oslo', 'C');`,
    line: 2,
    message: 'tools.get_weather takes one object of named arguments',
    suggestion: 'Its arguments are { city, unit? }',
  },
  'a list in place of arguments': {
    code: `return tools.get_weather(['Oslo']);`,
    line: 1,
    message: 'tools.get_weather takes one object of named arguments',
  },
  'a promise as an argument': {
    code: `const content = tools.read_file({ path: 'a' });\nreturn tools.write_file({ path: 'b', content });`,
    line: 2,
    message: 'tools.write_file: the argument "content" is a promise',
    suggestion: 'Await it first',
  },
  'a forgotten await': {
    code: `await tools.get_time();\nconst weather = tools.get_weather({ city: 'Oslo' });\nreturn weather.degrees;`,
    line: 3,
    column: 16,
    message: '"degrees" is read from a promise',
    suggestion: 'Await the call first',
  },
  'a mistyped property of a result': {
    code: `const weather = await tools.get_weather({ city: 'Oslo' });\nawait tools.write_file({ path: 'a', content: String(weather.degree) });`,
    line: 2,
    message: 'The value has no property "degree"',
    suggestion: 'Did you mean "degrees"?',
  },
  'a property in camel case': {
    code: `const { items } = await tools.search_issues({ query: 'x' });\nreturn items.map((issue) => issue.createdAt);`,
    line: 2,
    message: 'The value has no property "createdAt"',
    suggestion: 'Did you mean "created_at"?',
  },
  'an invented property of a strict result': {
    code: `const result = await tools.search_issues({ query: 'x' });\nreturn result.items.filter((issue) => issue.priority > 1);`,
    line: 2,
    message: 'The value has no property "priority"',
    suggestion: 'It has number, title, state, user, labels, created_at',
  },
  'a mistyped name in a pattern': {
    code: `await tools.get_time();\nconst { totalCount } = await tools.search_issues({ query: 'x' });\nreturn totalCount;`,
    line: 2,
    message: 'The value has no property "totalCount"',
    suggestion: 'Did you mean "total_count"?',
  },
  'a mistyped property of a list': {
    code: `const orders = await tools.list_orders({});\nreturn orders.lenght;`,
    line: 2,
    message: 'The value has no property "lenght"',
    suggestion: 'Did you mean "length"?',
  },
  'a mistyped part of the envelope': {
    code: `const result = await tools.get_time.safe();\nreturn result.statu;`,
    line: 2,
    message: 'The value has no property "statu"',
    suggestion: 'Did you mean "status"?',
  },
};
