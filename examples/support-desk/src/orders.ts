/** An order of the shop. */
export interface Order {
  readonly id: string;
  readonly customer: string;
  readonly item: string;
  /** Paid amount, in cents. */
  readonly cents: number;
}

/** Orders of the shop by id. */
export const orders: ReadonlyMap<string, Order> = new Map(
  [
    { id: 'A-17', customer: 'Ada', item: 'a lamp', cents: 4_000 },
    { id: 'B-42', customer: 'Bob', item: 'a desk', cents: 48_000 },
  ].map((order) => [order.id, order]),
);

/** Returns cents as people write them. */
export function euros(cents: number): string {
  return `${(cents / 100).toFixed(2)} €`;
}
