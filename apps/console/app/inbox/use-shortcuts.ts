import { useEffect, useEffectEvent } from 'react';

/** Action of each key. */
export type Shortcuts = Readonly<Record<string, () => unknown>>;

/** Listens to single keys on the page while `isOn`; not in text fields, and not together with a modifier key. */
export function useShortcuts(isOn: boolean, shortcuts: Shortcuts): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
    const act = Object.hasOwn(shortcuts, event.key) ? shortcuts[event.key] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  });

  useEffect(() => {
    if (!isOn) return undefined;
    const listener = (event: KeyboardEvent): void => onKey(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, [isOn]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [role="dialog"]') !== null;
}
