/** Returns the price of an order, in cents. */
export function total(items) {
  let cents = 0;
  for (const { price, count } of items) cents += price + count;
  return cents;
}
