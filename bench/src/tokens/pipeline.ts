import { createHash } from 'node:crypto';
import { defineTool } from '@ravi/kernel';
import type { JsonObject, JsonValue, Tool } from '@ravi/kernel';
import { createRandom } from './random.ts';
import type { TokenWorkload } from './workload.ts';

const tableBytes = 2_000_000;
const head = 'order,date,customer,country,currency,amount,status';
const euros: Readonly<Record<string, number>> = { EUR: 1, USD: 0.86, GBP: 1.15, CHF: 1.07 };
const regions: Readonly<Record<string, string>> = { DE: 'central', FR: 'west', ES: 'south', PL: 'east', SE: 'north' };

const orders = createTable();

/** Returns order rows up to 2 MB, some of them twice. */
function createTable(): string {
  const random = createRandom(2_026);
  const lines = [head];
  let bytes = head.length;
  for (let order = 0; bytes < tableBytes; order++) {
    const date = `2026-${String(random.whole(1, 12)).padStart(2, '0')}-${String(random.whole(1, 28)).padStart(2, '0')}`;
    const country = random.pick(['DE', 'FR', 'ES', 'PL', 'SE']);
    const currency = random.pick(['EUR', 'USD', 'GBP', 'CHF']);
    const status = random.pick(['paid', 'paid', 'open', 'returned']);
    const amount = (random.whole(500, 99_999) / 100).toFixed(2);
    const line = `O${order},${date},customer-${random.whole(1, 9_999)},${country},${currency},${amount},${status}`;
    const copies = random.whole(1, 50) === 1 ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) lines.push(line);
    bytes += copies * (line.length + 1);
  }
  return lines.join('\n');
}

const steps = {
  dropDuplicates: (csv: string): string => [...new Set(csv.split('\n'))].join('\n'),
  convertToEuros: (csv: string): string =>
    eachRow(csv, '', ([order, date, customer, country, currency = '', amount, status]) => {
      const converted = (Number(amount) * (euros[currency] ?? Number.NaN)).toFixed(2);
      return [order, date, customer, country, 'EUR', converted, status];
    }),
  addRegion: (csv: string): string => eachRow(csv, ',region', (cells) => [...cells, regions[cells[3] ?? '']]),
  summarise: (csv: string): JsonObject => ({
    rows: csv.split('\n').length - 1,
    bytes: Buffer.byteLength(csv),
    sha256: createHash('sha256').update(csv).digest('hex'),
  }),
};

function eachRow(
  csv: string,
  moreHead: string,
  change: (cells: readonly string[]) => readonly (string | undefined)[],
): string {
  const [first, ...lines] = csv.split('\n');
  return [`${first}${moreHead}`, ...lines.map((line) => change(line.split(',')).join(','))].join('\n');
}

/** Task: 2 MB of orders are read, changed three times and written; the model need not read any row. */
export const pipeline: TokenWorkload = {
  name: 'five steps over 2 MB of rows',
  goal: '≤ 0.001×',
  task: 'Clean the table orders-2026: drop duplicates, convert all amounts to EUR, add the sales region, and write it as orders-2026-clean. Tell me what was written.',
  tools: [
    defineTool({
      name: 'read_table',
      description: 'A table as CSV.',
      inputSchema: textArguments('name'),
      execute: () => orders,
    }),
    tableTool('drop_duplicates', 'Drops rows that were there before.', steps.dropDuplicates),
    tableTool('convert_to_euros', 'Converts the column amount to EUR.', steps.convertToEuros),
    tableTool('add_region', 'Adds the column region, from the column country.', steps.addRegion),
    defineTool({
      name: 'write_table',
      description: 'Writes a table and tells how many rows and bytes were written, with their hash.',
      inputSchema: textArguments('name', 'csv'),
      execute: ({ csv }) => steps.summarise(csv as string),
    }),
  ],
  async callTools(takeStep) {
    const call = async (name: string, args: JsonObject): Promise<string> =>
      (await takeStep([{ name, args }]))[0]?.text ?? '';
    const read = await call('read_table', { name: 'orders-2026' });
    const unique = await call('drop_duplicates', { csv: read });
    const converted = await call('convert_to_euros', { csv: unique });
    const placed = await call('add_region', { csv: converted });
    return JSON.parse(await call('write_table', { name: 'orders-2026-clean', csv: placed })) as JsonValue;
  },
  script: `let csv = await tools.read_table({ name: 'orders-2026' });
csv = await tools.drop_duplicates({ csv });
csv = await tools.convert_to_euros({ csv });
csv = await tools.add_region({ csv });
return tools.write_table({ name: 'orders-2026-clean', csv });`,
  answer: steps.summarise(steps.addRegion(steps.convertToEuros(steps.dropDuplicates(orders)))),
};

function tableTool(name: string, description: string, change: (csv: string) => string): Tool {
  return defineTool({
    name,
    description: `${description} Takes and gives CSV.`,
    inputSchema: textArguments('csv'),
    execute: ({ csv }) => change(csv as string),
  });
}

function textArguments(...names: readonly string[]): JsonObject {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  return { type: 'object', properties, required: [...names], additionalProperties: false };
}
