import { useSyncExternalStore } from 'react';

let offsetMs = 0;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let second = Math.floor(Date.now() / 1_000);

/** Sets the time of the server, whose clock decides what has expired. */
export function setServerTime(now: number): void {
  offsetMs = now - Date.now();
}

/** Returns the server's time in milliseconds, updated each second by one shared timer. */
export function useServerTime(): number {
  const current = useSyncExternalStore(listen, () => second);
  return current * 1_000 + offsetMs;
}

function listen(onTick: () => void): () => void {
  listeners.add(onTick);
  timer ??= setInterval(() => {
    second = Math.floor(Date.now() / 1_000);
    for (const notify of listeners) notify();
  }, 250);
  return () => {
    listeners.delete(onTick);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
