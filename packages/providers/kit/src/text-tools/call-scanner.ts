/** A piece of what a model wrote: prose, or the inside of a call block. */
export type Scanned =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly text: string; readonly isWhole: boolean };

interface Fence {
  readonly open: string;
  readonly close: string;
}

/** How models write calls as text: as we ask them to, and as they were trained to. */
const fences: readonly Fence[] = [
  { open: '<tool_call>', close: '</tool_call>' },
  { open: '```tool_call\n', close: '\n```' },
  { open: '```json tool_call\n', close: '\n```' },
];
const longestOpening = Math.max(...fences.map(({ open }) => open.length));

/** Finds call blocks in text that comes in pieces; prose goes on at once, apart from what may be the start of a block. */
export interface CallScanner {
  push(text: string): Scanned[];
  /** What is left: an open block comes as a call that is not whole. */
  end(): Scanned[];
}

/** A scanner for one answer. */
export function createCallScanner(): CallScanner {
  let buffer = '';
  let inside: Fence | undefined;

  const step = (): Scanned | undefined => {
    if (inside !== undefined) {
      const end = buffer.indexOf(inside.close);
      if (end === -1) return undefined;
      const text = buffer.slice(0, end);
      buffer = buffer.slice(end + inside.close.length);
      inside = undefined;
      return { type: 'call', text, isWhole: true };
    }
    const next = firstOpening(buffer);
    if (next !== undefined) {
      const text = buffer.slice(0, next.at);
      buffer = buffer.slice(next.at + next.fence.open.length);
      inside = next.fence;
      return { type: 'text', text };
    }
    const safe = buffer.length - possibleOpening(buffer);
    if (safe === 0) return undefined;
    const text = buffer.slice(0, safe);
    buffer = buffer.slice(safe);
    return { type: 'text', text };
  };

  return {
    push(text) {
      buffer += text;
      const found: Scanned[] = [];
      for (let scanned = step(); scanned !== undefined; scanned = step()) {
        if (scanned.type === 'call' || scanned.text !== '') found.push(scanned);
      }
      return found;
    },
    end() {
      const rest = buffer;
      buffer = '';
      if (inside !== undefined) return [{ type: 'call', text: rest, isWhole: false }];
      return rest === '' ? [] : [{ type: 'text', text: rest }];
    },
  };
}

function firstOpening(text: string): { readonly at: number; readonly fence: Fence } | undefined {
  let first: { readonly at: number; readonly fence: Fence } | undefined;
  for (const fence of fences) {
    const at = text.indexOf(fence.open);
    if (at !== -1 && (first === undefined || at < first.at)) first = { at, fence };
  }
  return first;
}

/** How many characters at the end may be the start of an opening. */
function possibleOpening(text: string): number {
  for (let length = Math.min(longestOpening - 1, text.length); length > 0; length--) {
    const tail = text.slice(-length);
    if (fences.some(({ open }) => open.startsWith(tail))) return length;
  }
  return 0;
}
