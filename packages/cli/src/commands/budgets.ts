import type { Budget } from '@ravi/api';
import { connect } from '../connection/connect.ts';
import type { CommandBody } from '../command.ts';
import { tableLines } from '../render/table.ts';
import { visible } from '../render/visible.ts';

/** Lists the limits of the caller, of the day and of runs, with what is used and reserved of them. */
export const listBudgets: CommandBody = async (invocation, terminal) => {
  await using client = await connect(invocation, terminal);
  const { items: budgets } = await client.budgets.list();
  if (invocation.isJson) return terminal.print(JSON.stringify({ budgets }));
  for (const line of tableLines(budgets.map((budget) => rowOf(budget, terminal.paint)))) terminal.print(line);
};

const nearlyFull = 0.8;

function rowOf(
  { name, unit, used, limit, reserved = 0, resetsAt }: Budget,
  paint: Parameters<CommandBody>[1]['paint'],
): readonly string[] {
  const share = limit === undefined ? 0 : (used + reserved) / limit;
  const amount =
    limit === undefined ? amountText(used, unit) : `${amountText(used, unit)} of ${amountText(limit, unit)}`;
  const style = share >= 1 ? 'bad' : share >= nearlyFull ? 'warning' : undefined;
  return [
    visible(name),
    style === undefined ? amount : paint(style, amount),
    reserved > 0 ? `${amountText(reserved, unit)} reserved` : '',
    resetsAt === undefined ? '' : `until ${resetsAt.slice(0, 16).replace('T', ' ')} UTC`,
  ];
}

function amountText(value: number, unit: Budget['unit']): string {
  if (unit === 'cost') return value.toFixed(4).replace(/\.?0+$/, '');
  if (unit === 'milliseconds') return `${(value / 1_000).toFixed(1)} s`;
  const count = Math.round(value);
  return `${count} ${count === 1 ? unit.replace(/s$/, '') : unit}`;
}
