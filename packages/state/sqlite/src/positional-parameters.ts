import type { SqlValue } from '@ravi/state-kit';

/** Statement whose parameters are bound by position. */
export interface PositionalStatement {
  /** SQL with a `?` for each parameter. */
  readonly text: string;
  /** Returns the values in the order in which the text uses them. */
  arrange(values: readonly SqlValue[]): readonly SqlValue[];
}

/**
 * Converts a statement with `$1`, `$2`… to `?` parameters. Some versions of `node:sqlite` cannot bind numbered
 * parameters by position.
 */
export function positionalParameters(sql: string): PositionalStatement {
  const order: number[] = [];
  const text = sql.replaceAll(/\$(\d+)/g, (_, number: string) => {
    order.push(Number(number) - 1);
    return '?';
  });
  if (order.every((index, place) => index === place)) return { text, arrange: (values) => values };
  return { text, arrange: (values) => order.map((index) => values[index] ?? null) };
}
