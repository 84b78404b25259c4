import { setTimeout as delay } from 'node:timers/promises';
import { rowsOfBytes, textOf } from './payloads.ts';
import type { PayloadRow } from './payloads.ts';

const texts = new Map<number, string>();
const tables = new Map<number, readonly PayloadRow[]>();
const waits = new Set<Promise<unknown>>();

/** Implementations of the tools for all runners. Payloads are created once, so that only their transfer is timed. */
export const toolBodies = {
  echo: (value: number): { readonly value: number } => ({ value }),
  wait: (milliseconds: number): Promise<{ readonly milliseconds: number }> =>
    counted(delay(milliseconds, { milliseconds })),
  text: (bytes: number): string => remembered(texts, bytes, textOf),
  rows: (bytes: number): readonly PayloadRow[] => remembered(tables, bytes, rowsOfBytes),
} as const;

/** Number of scripts that wait for the tool `wait`. */
export function waitsUnderWay(): number {
  return waits.size;
}

function counted<Value>(wait: Promise<Value>): Promise<Value> {
  waits.add(wait);
  return wait.finally(() => waits.delete(wait));
}

function remembered<Payload>(known: Map<number, Payload>, bytes: number, make: (bytes: number) => Payload): Payload {
  const payload = known.get(bytes) ?? make(bytes);
  known.set(bytes, payload);
  return payload;
}
