import type { BridgeCall } from '@ravi/kernel';

/** A call of a script as the host remembers it. */
export interface BridgeRecord extends BridgeCall {
  readonly signal: AbortSignal;
  /** True if the bridge replied, with a value or an error. */
  settled: boolean;
}

/** A bridge that answers without care, as a host might, and remembers every call once. */
export interface HostileBridge {
  readonly records: readonly BridgeRecord[];
  answer(call: BridgeCall, options: { readonly signal: AbortSignal }): Promise<string>;
}

/** Creates a bridge. `onReady` is called when the script has started, and delays it; that call is not recorded. */
export function createHostileBridge(onReady: (namespace: string) => Promise<void>): HostileBridge {
  const records: BridgeRecord[] = [];
  return {
    records,
    answer({ op, payload }, { signal }) {
      if (op === 'ready') return onReady(payload).then(() => '');
      const record: BridgeRecord = { op, payload, signal, settled: false };
      records.push(record);
      if (op === 'never') return new Promise(() => {});
      record.settled = true;
      if (op === 'fail-at-once') throw new TypeError('refused at once');
      return answerTo(op, payload);
    },
  };
}

async function answerTo(op: string, payload: string): Promise<string> {
  switch (op) {
    case 'parse':
      return JSON.stringify(JSON.parse(payload));
    case 'length':
      return String(payload.length);
    case 'answer-object':
      return process.env as unknown as string;
    case 'fail':
      throw new TypeError('refused');
    case 'fail-loaded':
      throw Object.assign(new Error('refused', { cause: process }), { host: globalThis, code: { process } });
    case 'fail-getters':
      throw Object.defineProperties(new Error('refused'), {
        code: { get: () => process },
        message: { get: () => ({ toString: () => 'refused' }) },
        name: {
          get() {
            throw new Error('no name');
          },
        },
      });
    case 'fail-object':
      throw { host: process } as unknown as Error;
    case 'fail-nothing':
      throw undefined as unknown as Error;
    case 'fail-function':
      throw (() => process) as unknown as Error;
    case 'fail-aggregate':
      throw new AggregateError([new Error('one', { cause: process })], 'several');
    case 'fail-large':
      throw new Error('x'.repeat(1_000_000));
    default:
      return payload;
  }
}
