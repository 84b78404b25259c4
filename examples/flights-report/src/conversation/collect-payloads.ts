import type { HookManager } from '@ravi/invoker';
import type { BlobStore, ChainFile, InvocationResult, JsonObject, ResultPoint } from '@ravi/kernel';

/** Payload that one call would add to the conversation without a script. */
export interface Payload {
  readonly callId: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** The whole result as text, a stored one read from the store. */
  readonly text: string;
}

/** Remembers calls and results while it watches. */
export interface PayloadCollector extends Disposable {
  /** All calls in the order they ended. Read it before the blob store sweeps what the run has released. */
  payloads(store: BlobStore): Promise<readonly Payload[]>;
}

const points: readonly ResultPoint[] = ['after-tool', 'tool-error', 'permission-denied', 'budget-exceeded'];

/** Watches every result that the invoker delivers, and changes none. */
export function collectPayloads(hooks: HookManager): PayloadCollector {
  const calls: {
    readonly callId: string;
    readonly tool: string;
    readonly args: JsonObject;
    result: InvocationResult;
  }[] = [];
  const stops = points.map((point) =>
    hooks.interceptResult(point, ({ callId = '', tool, args }, result) => {
      calls.push({ callId, tool, args, result });
      return undefined;
    }),
  );
  return {
    payloads: (store) =>
      Promise.all(calls.map(async ({ result, ...call }) => ({ ...call, text: await wholeText(result, store) }))),
    [Symbol.dispose]: () => stops.forEach((stop) => stop()),
  };
}

async function wholeText(result: InvocationResult, store: BlobStore): Promise<string> {
  const stored = result.artifactRef === undefined ? result.text : await readText(store, result.artifactRef);
  const files = await Promise.all(result.files.map((file: ChainFile) => readText(store, file.artifactRef)));
  return [stored, ...files].join('\n');
}

async function readText(store: BlobStore, ref: string): Promise<string> {
  return new TextDecoder().decode(await store.resolve(ref));
}
