import type { RecordCodec } from '../protocol/records.ts';
import type { GuestRuntime } from './runtime.ts';

/**
 * Exercises a runtime that is discarded afterwards, so that V8 has compiled its functions before a script waits for them.
 * Its last steps are promise jobs and run when the caller returns.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function exerciseRuntime(runtime: GuestRuntime, codec: RecordCodec): void {
  runtime.prelude((host) => ({ call: (host as { call: unknown }).call }));
  runtime.limit(codec.encode('', '65536', '65536', '8', '4', '65536'));
  runtime.script((call) => async () => {
    console.log('text', { list: [1, 'two', null], nested: { yes: true } });
    const answer = await (call as (op: string, payload: string) => Promise<string>)('op', '{}');
    return { list: [1, 'two'], answer };
  });
  runtime.drain();
  runtime.deliver(codec.encode('a', '1', '{}'));
}
