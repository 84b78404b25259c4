import { compilerConfig, jsonFile } from './write-files.ts';
import type { NewFile } from './write-files.ts';

/** Names that differ between projects. */
export interface ProjectNames {
  readonly name: string;
  /** Version of the Ravi packages that the project depends on. */
  readonly version: string;
}

/** Returns the files of a new project. */
export function projectFiles({ name, version }: ProjectNames): readonly NewFile[] {
  return [
    ['package.json', jsonFile(manifest(name, version))],
    ['ravi.config.json', jsonFile(config)],
    ['tools/list_orders.ts', tool],
    ['demo.ts', demo],
    ['skills/sales-figures/SKILL.md', skill],
    ['test/list_orders.test.ts', toolTest],
    ['tsconfig.json', jsonFile(compilerConfig(['tools', 'test']))],
    ['.gitignore', 'node_modules/\ndata/\n.env\n'],
    ['README.md', readme(name)],
  ];
}

function manifest(name: string, version: string): object {
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: {
      start: 'ravi serve',
      dev: 'ravi dev',
      demo: 'ravi run "What did each customer buy?"',
      test: 'node --test "test/*.test.ts"',
    },
    dependencies: { '@ravi/cli': version, '@ravi/invoker': version, '@ravi/kernel': version },
    devDependencies: { '@types/node': '^24.0.0' },
    engines: { node: '>=24' },
  };
}

const config = {
  tools: ['./tools'],
  skills: ['./skills'],
  agent: { system: 'You answer questions about the orders of a shop.', demoScript: './demo.ts' },
};

const tool = `import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';

const orders = [
  { customer: 'Ada', month: '2026-09', item: 'lamp', price: 40 },
  { customer: 'Grace', month: '2026-09', item: 'desk', price: 310 },
  { customer: 'Ada', month: '2026-10', item: 'chair', price: 120 },
  { customer: 'Grace', month: '2026-10', item: 'lamp', price: 40 },
];

const listOrders: Tool = defineTool({
  name: 'list_orders',
  description: 'Lists the orders of the shop, all of them or those of one month.',
  // A call that is not safe waits for an approval.
  risk: 'safe',
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    properties: { month: { type: 'string', pattern: '^\\\\d{4}-\\\\d{2}$', description: 'Like 2026-10.' } },
  },
  execute: ({ month }) => orders.filter((order) => month === undefined || order.month === month),
});

export default listOrders;
`;

const demo = `// What a model would write: one script instead of many calls. Without a key of a provider, "npm run demo" runs this one.
const orders: { customer: string; price: number }[] = await tools.list_orders({});
const totals: Record<string, number> = {};
for (const { customer, price } of orders) totals[customer] = (totals[customer] ?? 0) + price;
return totals;
`;

const skill = `---
name: sales-figures
description: How the shop counts its sales. Read it before you report sums.
---

# Sales figures

- Sums are in euros, without tax.
- Name the months that a sum covers.
- Take the orders from \`list_orders\` and add them up in one script.
`;

const toolTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import listOrders from '../tools/list_orders.ts';

const invoker = new ToolInvoker({ registry: new Toolbox([listOrders]) });

test('lists the orders of one month', async () => {
  await using session = invoker.openSession();
  const { structured } = await invoker.invoke({ name: 'list_orders', args: { month: '2026-10' } }, { session });
  assert.equal((structured as unknown[]).length, 2);
});

test('refuses an invalid month', async () => {
  await using session = invoker.openSession();
  const { status, error } = await invoker.invoke({ name: 'list_orders', args: { month: 'May' } }, { session });
  assert.equal(status, 'error');
  assert.equal(error?.code, 'E_ARGUMENTS_INVALID');
});
`;

function readme(name: string): string {
  return `# ${name}

\`\`\`sh
npm install
npm run demo    # a run of the agent, without any key
npm test        # the tool, through the invoker
npm start       # the console, on http://127.0.0.1:7341
npm run dev     # the same, and reads tools, skills and the configuration again when you edit them
\`\`\`

- \`tools/\`: each file is a tool. \`npx ravi tools list\` shows them, \`npx ravi tools call list_orders\` calls one.
- \`skills/\`: instructions that the agent reads when it needs them.
- \`demo.ts\`: the script that the demonstration runs. \`npx ravi chain run demo.ts\` runs only the script.
- \`ravi.config.json\`: tools, skills and plugins. \`npx ravi config show\` prints it with all defaults, \`npx ravi doctor\` checks it.

Set \`OPENAI_API_KEY\`, \`ANTHROPIC_API_KEY\` or \`GOOGLE_API_KEY\` to use a model instead of the demonstration script. For a
model on this machine, set \`OPENAI_BASE_URL\`.
`;
}
