import type { SqlValue } from '@ravi/state-kit';

/** A statement whose parameters are bound by their place alone. */
export interface BoundInOrder {
  /** Each parameter is a `?`. */
  readonly text: string;
  /** The values in the order in which the text uses them. */
  arrange(values: readonly SqlValue[]): readonly SqlValue[];
}

/**
 * A statement with `$1`, `$2`…, as PostgreSQL and the schema write them, in a form that every version of `node:sqlite` binds:
 * some cannot bind parameters with numbers by their place.
 */
export function boundInOrder(sql: string): BoundInOrder {
  const order: number[] = [];
  const text = sql.replaceAll(/\$(\d+)/g, (_, number: string) => {
    order.push(Number(number) - 1);
    return '?';
  });
  if (order.every((index, place) => index === place)) return { text, arrange: (values) => values };
  return { text, arrange: (values) => order.map((index) => values[index] ?? null) };
}
