/** Marks around a call in text. */
export interface Fence {
  readonly open: string;
  readonly close: string;
}

/** Marks that models use for calls: the requested ones, and those from their training. */
const fences: readonly Fence[] = [
  { open: '<tool_call>', close: '</tool_call>' },
  ...['```tool_call\n', '```tool_call\r\n', '```json tool_call\n', '```json tool_call\r\n'].map((open) => ({
    open,
    close: '```',
  })),
];

/** Length of the longest mark. */
export const maxMarkChars: number = Math.max(...fences.flatMap(({ open, close }) => [open.length, close.length]));

/** Returns the first mark in a text that opens a call. */
export function firstOpening(text: string): { readonly at: number; readonly fence: Fence } | undefined {
  let first: { readonly at: number; readonly fence: Fence } | undefined;
  for (const fence of fences) {
    const at = text.indexOf(fence.open);
    if (at !== -1 && (first === undefined || at < first.at)) first = { at, fence };
  }
  return first;
}

/** Returns how many characters at the end may be the start of such a mark. */
export function possibleOpening(text: string): number {
  for (let length = Math.min(maxMarkChars - 1, text.length); length > 0; length--) {
    const tail = text.slice(-length);
    if (fences.some(({ open }) => open.startsWith(tail))) return length;
  }
  return 0;
}
