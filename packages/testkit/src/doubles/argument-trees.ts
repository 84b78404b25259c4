import type { JsonObject, JsonSchema, JsonValue } from '@ravi/kernel';
import { createSeededRandom } from './seeded-random.ts';

/** Generated arguments, and the schema of a tool that takes them. */
export interface ArgumentTree {
  readonly args: JsonObject;
  /** Declares some of the strings as secrets. */
  readonly inputSchema: JsonSchema;
}

const names = 'to amount token page_token cookie password secret api_key note headers items customer сумма'.split(' ');
const texts = [
  '',
  'Ada',
  'раypal',
  'аре',
  'a\u00a0b',
  '\u2800',
  'x\u200by',
  '\u202efdp.exe',
  '\u{e0041}tag',
  'ﬁne',
  'ａdmin',
  '"quoted" \\ text',
  'line\nbreak\ttab',
  '漢字と仮名',
  'سلام',
  '😀👩‍👧',
  'api_key=abcd1234&amount=5000',
  '[redacted]',
];

/** Returns arguments that depend only on the seed: of any size and depth, with names of secrets, mixed scripts and refs. */
export function createArgumentTree(seed: number): ArgumentTree {
  const { below, pick } = createSeededRandom(seed);
  let budget = 1 + below(seed % 10 === 0 ? 600 : 40);
  const depth = seed % 7 === 0 ? 60 : 1 + below(6);

  function text(): string {
    const base = pick(texts);
    return below(40) === 0 ? `${base} ${'long text. '.repeat(below(600))}` : base;
  }

  function leaf(): JsonValue {
    const kind = below(8);
    if (kind === 0) return below(2) === 0;
    if (kind === 1) return null;
    if (kind === 2) return below(1_000_000) / (below(2) === 0 ? 1 : 100);
    if (kind === 3) return { $artifact: `blob_${below(5)}` };
    return text();
  }

  function value(left: number): JsonValue {
    budget--;
    if (left === 0 || budget <= 0 || below(3) === 0) return leaf();
    if (below(3) === 0) return Array.from({ length: below(6) }, () => value(left - 1));
    return object(left - 1);
  }

  function object(left: number): JsonObject {
    const entries = Array.from({ length: 1 + below(5) }, (_, index) => [
      `${pick(names)}${index === 0 ? '' : index}`,
      value(left),
    ]);
    return Object.fromEntries(entries) as JsonObject;
  }

  function chain(left: number): JsonObject {
    return left === 0 ? object(2) : { [pick(names)]: below(2) === 0 ? chain(left - 1) : [chain(left - 1)] };
  }

  const args = { ...object(depth > 6 ? 2 : depth), ...(depth > 6 ? chain(depth) : {}), list: large(seed, text) };
  return { args, inputSchema: { type: 'object', properties: { password: { writeOnly: true } } } };
}

// Some lists are longer than what a surface shows at first.
function large(seed: number, text: () => string): readonly JsonValue[] {
  return Array.from({ length: seed % 20 === 0 ? 350 : seed % 3 }, (_, index) => (index % 50 === 0 ? text() : index));
}
