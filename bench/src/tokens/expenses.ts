import { defineTool } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';
import { createRandom } from './random.ts';
import type { TokenWorkload } from './workload.ts';

interface Member {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly email: string;
}

interface Expense {
  readonly id: string;
  readonly date: string;
  readonly category: string;
  readonly description: string;
  readonly merchant: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly receipt: string;
  readonly approvedBy: string;
  readonly project: string;
}

const standardBudget = 5_000;
const random = createRandom(20);

const team: readonly Member[] = Array.from({ length: 20 }, (_, index) => {
  const first = ['Ada', 'Ben', 'Chloe', 'David', 'Elif', 'Farid', 'Grace', 'Hugo', 'Ines', 'Jonas'][index % 10] ?? '';
  const last = index < 10 ? 'Albrecht' : 'Moreau';
  const email = `${first}.${last}@example.com`.toLowerCase();
  return { id: `E${100 + index}`, name: `${first} ${last}`, role: random.pick(['engineer', 'analyst', 'lead']), email };
});

/** Returns 50 to 100 lines per employee, as an expense system exports them. */
const expensesOf = new Map(
  team.map(({ id }) => [id, Array.from({ length: random.whole(50, 100) }, (_, line) => expenseOf(id, line))]),
);

const customBudgets = new Map(team.filter((_, index) => index % 3 === 0).map(({ id }) => [id, 7_500]));

function expenseOf(employee: string, line: number): Expense {
  const category = random.pick(['travel', 'travel', 'meals', 'software', 'office']);
  const day = String(random.whole(1, 28)).padStart(2, '0');
  return {
    id: `EXP-${employee}-${String(line).padStart(4, '0')}`,
    date: `2026-0${random.whole(7, 9)}-${day}`,
    category,
    description: random.pick([
      'Client visit in Lyon',
      'Team offsite',
      'Conference',
      'Monthly licence',
      'Desk supplies',
    ]),
    merchant: random.pick(['Deutsche Bahn', 'Air France', 'Hotel Central', 'Bistro Nord', 'Paper & Co']),
    amount: random.whole(1_000, category === 'travel' ? 60_000 : 9_000) / 100,
    currency: 'EUR',
    status: random.pick(['approved', 'approved', 'approved', 'pending', 'rejected']),
    receipt: `https://receipts.example.com/2026/q3/${employee}/${random.whole(100_000, 999_999)}.pdf`,
    approvedBy: random.pick(['E900', 'E901', 'E902']),
    project: random.pick(['PRJ-APOLLO', 'PRJ-BOREAL', 'PRJ-CYGNUS']),
  };
}

function travelOf(expenses: readonly Expense[]): number {
  const counted = expenses.filter(({ category, status }) => category === 'travel' && status === 'approved');
  return Math.round(counted.reduce((sum, { amount }) => sum + amount, 0));
}

const tools = [
  defineTool({
    name: 'get_team_members',
    description: 'Members of a department.',
    inputSchema: objectOf({ department: { type: 'string' } }),
    outputSchema: listOf(['id', 'name', 'role', 'email'], []),
    execute: () => team.map((member) => ({ ...member })),
  }),
  defineTool({
    name: 'get_expenses',
    description: 'All expense lines of an employee in a quarter. Only approved lines count against a budget.',
    inputSchema: objectOf({
      employee: { type: 'string' },
      quarter: { type: 'string', enum: ['Q1', 'Q2', 'Q3', 'Q4'] },
    }),
    outputSchema: listOf(
      ['id', 'date', 'category', 'description', 'merchant', 'currency', 'status', 'receipt', 'approvedBy', 'project'],
      ['amount'],
    ),
    execute: ({ employee }) => (expensesOf.get(employee as string) ?? []).map((expense) => ({ ...expense })),
  }),
  defineTool({
    name: 'get_custom_budget',
    description: `Travel budget of an employee per quarter, where it is another than the standard of ${standardBudget} EUR.`,
    inputSchema: objectOf({ employee: { type: 'string' } }),
    outputSchema: objectOf({ budget: { type: 'number' } }),
    execute: ({ employee }) => ({ budget: customBudgets.get(employee as string) ?? standardBudget }),
  }),
];

/** Task: which of twenty employees spent more than their budget? Needs all lines, and the own budget of those above the standard. */
export const expenses: TokenWorkload = {
  name: 'expenses of 20 employees against budgets',
  goal: '≤ 0.01×',
  task: `Who of the sales department spent more on travel in Q3 than their budget? The standard is ${standardBudget} EUR, some have a custom budget. Give id, what they spent in whole EUR and the budget.`,
  tools,
  async callTools(takeStep) {
    const [members] = await takeStep([{ name: 'get_team_members', args: { department: 'sales' } }]);
    const people = JSON.parse(members?.text ?? '') as Member[];
    const lines = await takeStep(
      people.map(({ id }) => ({ name: 'get_expenses', args: { employee: id, quarter: 'Q3' } })),
    );
    const above = people
      .map(({ id }, index) => ({ id, spent: travelOf(JSON.parse(lines[index]?.text ?? '') as Expense[]) }))
      .filter(({ spent }) => spent > standardBudget);
    const budgets = await takeStep(above.map(({ id }) => ({ name: 'get_custom_budget', args: { employee: id } })));
    return above
      .map((person, index) => ({ ...person, ...(JSON.parse(budgets[index]?.text ?? '') as { budget: number }) }))
      .filter(({ spent, budget }) => spent > budget);
  },
  script: `const team = await tools.get_team_members({ department: 'sales' });
const checked = await Promise.all(team.map(async ({ id }) => {
  const lines = await tools.get_expenses({ employee: id, quarter: 'Q3' });
  const travel = lines.filter((line) => line.category === 'travel' && line.status === 'approved');
  const spent = Math.round(travel.reduce((sum, line) => sum + line.amount, 0));
  if (spent <= ${standardBudget}) return null;
  const { budget } = await tools.get_custom_budget({ employee: id });
  return spent > budget ? { id, spent, budget } : null;
}));
return checked.filter((person) => person !== null);`,
  answer: team
    .map(({ id }) => ({
      id,
      spent: travelOf(expensesOf.get(id) ?? []),
      budget: customBudgets.get(id) ?? standardBudget,
    }))
    .filter(({ spent, budget }) => spent > budget),
};

function objectOf(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function listOf(texts: readonly string[], numbers: readonly string[]): JsonSchema {
  const entries = [
    ...texts.map((name) => [name, { type: 'string' }] as const),
    ...numbers.map((name) => [name, { type: 'number' }] as const),
  ];
  return { type: 'array', items: objectOf(Object.fromEntries(entries)) };
}
