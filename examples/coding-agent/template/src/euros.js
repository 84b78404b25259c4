/** Returns cents as people write them. */
export function euros(cents) {
  return `${(cents / 100).toFixed(2)} €`;
}
