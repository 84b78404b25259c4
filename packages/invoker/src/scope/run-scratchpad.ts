import { KernelError } from '@ravi/kernel';
import type { JsonValue, Scratchpad } from '@ravi/kernel';
import { utf8Length } from '@ravi/support';
import { encodeStructured } from '../result/encode-structured.ts';

const maxBytes = 65_536;
const maxKeys = 1_000;
const maxKeyLength = 256;

/** Values that the tools of one run share, as JSON text. */
export class RunScratchpad implements Scratchpad {
  readonly #values = new Map<string, string>();
  #bytes = 0;
  #changes = 0;

  /** Number of changes so far. */
  get changes(): number {
    return this.#changes;
  }

  /** Keys with their values as JSON text, in the order in which they were added. */
  get entries(): readonly (readonly [key: string, text: string])[] {
    return [...this.#values];
  }

  /** Replaces all values by entries of an earlier process. */
  fill(entries: readonly (readonly [key: string, text: string])[]): void {
    this.#values.clear();
    this.#bytes = 0;
    for (const [key, text] of entries) {
      this.#values.set(key, text);
      this.#bytes += this.#sizeOf(key);
    }
  }

  get(key: string): JsonValue | undefined {
    const text = this.#values.get(key);
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  }

  set(key: string, value: unknown): void {
    if (key.length > maxKeyLength) {
      const message = `A key of the scratchpad has at most ${maxKeyLength} characters, and this one has ${key.length}`;
      throw new KernelError('E_BUDGET_EXHAUSTED', message);
    }
    if (this.#values.size >= maxKeys && !this.#values.has(key)) {
      const message = `The scratchpad cannot hold ${key}: it has ${maxKeys} keys already. Delete some, or use one object`;
      throw new KernelError('E_BUDGET_EXHAUSTED', message);
    }
    const text = encoded(key, value);
    const bytes = this.#bytes - this.#sizeOf(key) + utf8Length(key) + utf8Length(text);
    if (bytes > maxBytes) {
      const message = `The scratchpad cannot hold ${key}: its values together would have ${bytes} of ${maxBytes} bytes`;
      throw new KernelError('E_BUDGET_EXHAUSTED', `${message}. Store large data as an artifact and keep its ref`);
    }
    this.#bytes = bytes;
    if (this.#values.get(key) !== text) this.#changes++;
    this.#values.set(key, text);
  }

  delete(key: string): void {
    this.#bytes -= this.#sizeOf(key);
    if (this.#values.delete(key)) this.#changes++;
  }

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  #sizeOf(key: string): number {
    const text = this.#values.get(key);
    return text === undefined ? 0 : utf8Length(key) + utf8Length(text);
  }
}

function encoded(key: string, value: unknown): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = encodeStructured(value);
  } catch (error) {
    cause = error;
  }
  if (text !== undefined) return text;
  throw new KernelError('E_RESULT_NOT_JSON', `The value of ${key} in the scratchpad is not JSON`, { cause });
}
