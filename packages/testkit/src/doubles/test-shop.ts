import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';

/** Tools of a shop, and a record of what they did. */
export interface TestShop {
  /**
   * `list_orders` is safe. `refund_order` needs approval, with the arguments `order` and `amount`. `track_parcel` is safe and runs until
   * it is cancelled. `write_report` is safe and returns 21 000 characters, and `photo_parcel` a PNG image of one pixel.
   */
  readonly tools: readonly Tool[];
  /** Orders that were refunded, once for each time that the tool ran. */
  readonly refunds: readonly number[];
  /** Number of times that `list_orders` ran. */
  readonly listed: number;
  /** Resolves when `track_parcel` has started. */
  readonly tracking: Promise<void>;
  /** Resolves when `track_parcel` was cancelled. */
  readonly cancelled: Promise<void>;
}

const pixel = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
  (character) => character.charCodeAt(0),
);

/** Creates a {@link TestShop}, for tests that ask if a tool ran. */
export function createTestShop(): TestShop {
  const refunds: number[] = [];
  let listed = 0;
  const tracking = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const orderSchema = { type: 'object', properties: {}, additionalProperties: false } as const;
  const tools: readonly Tool[] = [
    defineTool({
      name: 'list_orders',
      description: 'Lists the orders',
      inputSchema: orderSchema,
      risk: 'safe',
      execute() {
        listed++;
        return [
          { order: 1, total: 20 },
          { order: 2, total: 35 },
        ];
      },
    }),
    defineTool({
      name: 'refund_order',
      description: 'Pays the price of an order back',
      inputSchema: {
        type: 'object',
        properties: { order: { type: 'integer' }, amount: { type: 'number' } },
        required: ['order'],
        additionalProperties: false,
      },
      risk: 'high',
      execute({ order }) {
        refunds.push(order);
        return { refunded: order };
      },
    }),
    defineTool({
      name: 'track_parcel',
      description: 'Follows a parcel',
      inputSchema: orderSchema,
      risk: 'safe',
      execute(_args, { signal }) {
        tracking.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            cancelled.resolve();
            reject(signal.reason as Error);
          });
        });
      },
    }),
    defineTool({
      name: 'write_report',
      description: 'Writes a long report',
      inputSchema: orderSchema,
      risk: 'safe',
      execute: () => 'report '.repeat(3_000),
    }),
    defineTool({
      name: 'photo_parcel',
      description: 'Takes a photo of a parcel',
      inputSchema: orderSchema,
      risk: 'safe',
      execute: () => ({
        content: [{ type: 'image', mediaType: 'image/png', source: { kind: 'bytes', bytes: pixel } }],
        isError: false,
      }),
    }),
  ];
  return {
    tools,
    refunds,
    get listed() {
      return listed;
    },
    tracking: tracking.promise,
    cancelled: cancelled.promise,
  };
}
