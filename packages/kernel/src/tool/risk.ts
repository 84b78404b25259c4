/** How dangerous a call is: `safe` has no side effects, `high` has outside effects, `critical` cannot be undone. */
export type ToolRisk = 'safe' | 'high' | 'critical';

const order: Readonly<Record<ToolRisk, number>> = { safe: 0, high: 1, critical: 2 };

/** Negative, zero or positive as `left` is less, equally or more dangerous than `right`. */
export function compareRisk(left: ToolRisk, right: ToolRisk): number {
  return order[left] - order[right];
}

/** Whether `value` is one of the three risks. */
export function isToolRisk(value: unknown): value is ToolRisk {
  return typeof value === 'string' && Object.hasOwn(order, value);
}
