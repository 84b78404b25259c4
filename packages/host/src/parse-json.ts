import { KernelError } from '@ravi/kernel';

/**
 * Parses a JSON file. `JSON.parse` reports a position for some errors only, so this finds the position itself.
 * @throws KernelError `E_CONFIG_INVALID` with `source:line:column` and the expected token
 */
export function parseJson(text: string, source: string): unknown {
  const content = text.replace(/^\uFEFF/, '');
  try {
    return JSON.parse(content);
  } catch (cause) {
    const { offset, expected } = findMistake(content);
    const before = content.slice(0, offset).split('\n');
    const column = (before.at(-1) ?? '').length + 1;
    const found = /^(?:[\w$.+-]{1,20}|[^])/.exec(content.slice(offset))?.[0];
    const message = `expected ${expected}, found ${found === undefined ? 'the end of the file' : JSON.stringify(found)}`;
    throw new KernelError('E_CONFIG_INVALID', `${source}:${before.length}:${column}: ${message}`, { cause });
  }
}

const tokens =
  /[ \t\r\n]*([{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w))/y;

type State = 'value' | 'first-item' | 'key' | 'first-key' | 'colon' | 'separator' | 'end';

/** Finds the first token that JSON does not allow, and describes what it allows there. */
function findMistake(text: string): { readonly offset: number; readonly expected: string } {
  const closers: string[] = [];
  let state: State = 'value';
  for (tokens.lastIndex = 0; ;) {
    const start = tokens.lastIndex;
    const token = tokens.exec(text)?.[1];
    const next: State | undefined = token === undefined ? undefined : follow(state, token, closers);
    if (next === undefined) {
      const blank = /^[ \t\r\n]*/.exec(text.slice(start))?.[0].length ?? 0;
      return { offset: start + blank, expected: describe(state, closers.at(-1)) };
    }
    state = next;
  }
}

function follow(state: State, token: string, closers: string[]): State | undefined {
  const closes = state === 'separator' || state === 'first-item' || state === 'first-key';
  if (closes && token === closers.at(-1)) {
    closers.pop();
    return afterValue(closers);
  }
  if (state === 'colon') return token === ':' ? 'value' : undefined;
  if (state === 'separator') {
    if (token !== ',') return undefined;
    return closers.at(-1) === '}' ? 'key' : 'value';
  }
  if (state === 'key' || state === 'first-key') return token.startsWith('"') ? 'colon' : undefined;
  if (state === 'end' || /^[}\],:]$/.test(token)) return undefined;
  if (token !== '{' && token !== '[') return afterValue(closers);
  closers.push(token === '{' ? '}' : ']');
  return token === '{' ? 'first-key' : 'first-item';
}

function afterValue(closers: readonly string[]): State {
  return closers.length === 0 ? 'end' : 'separator';
}

function describe(state: State, closer: string | undefined): string {
  const words: Readonly<Record<State, string>> = {
    value: 'a value',
    'first-item': 'a value or "]"',
    key: 'a property name in double quotes',
    'first-key': 'a property name in double quotes or "}"',
    colon: '":"',
    separator: `"," or "${closer}"`,
    end: 'nothing more',
  };
  return words[state];
}
