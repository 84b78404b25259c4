/**
 * Danger of a call. `safe` changes nothing outside its run, so it may run at once, before a response is complete and again after
 * a crash. `high` has an effect that others see. `critical` has one that cannot be undone.
 */
export type ToolRisk = 'safe' | 'high' | 'critical';

const order: Readonly<Record<ToolRisk, number>> = { safe: 0, high: 1, critical: 2 };

/** Compares two risks, for sorting: negative if `left` is less dangerous than `right`, zero if equal. */
export function compareRisk(left: ToolRisk, right: ToolRisk): number {
  return order[left] - order[right];
}

/** Returns true if `value` is one of the three risks. */
export function isToolRisk(value: unknown): value is ToolRisk {
  return typeof value === 'string' && Object.hasOwn(order, value);
}
