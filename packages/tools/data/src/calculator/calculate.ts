import type { Decimal } from 'decimal.js';
import { call, factorial, power, remainder, stepsOf, stepsOfPower } from './functions.ts';
import { calculation, checked, Exact, Rounded } from './numbers.ts';

const maxDepth = 100;
/** Steps of an expression. A step takes some tens of microseconds at most. */
const maxSteps = 2_000;
const tokenPattern =
  /\s*(?:(?<number>(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d{1,5})?)|(?<name>[A-Za-z_]\w{0,31})|(?<sign>\*\*|[-+*/%^!(),\u00d7\u00f7\u2212]))/y;
const signs: ReadonlyMap<string, string> = new Map([
  ['**', '^'],
  ['\u00d7', '*'],
  ['\u00f7', '/'],
  ['\u2212', '-'],
]);
const constants: ReadonlyMap<string, Decimal> = new Map([
  ['pi', Rounded.acos(-1)],
  ['tau', Rounded.acos(-1).times(2)],
  ['e', Rounded.exp(1)],
]);

interface Token {
  readonly kind: 'number' | 'name' | 'sign' | 'end';
  readonly text: string;
  /** Place in the expression, from 1. */
  readonly place: number;
}

/**
 * Computes an expression of numbers, variables, functions and the signs + - * / % ^ !. Nothing else can be written, so nothing else can
 * happen: there are no properties, assignments, texts or lists. Its work is bounded by its length, by the size of numbers, and by a number of steps.
 * @throws KernelError `E_CALCULATION` with the place for anything else
 */
export function calculate(expression: string, variables: ReadonlyMap<string, Decimal> = new Map()): Decimal {
  const tokens = readTokens(expression);
  let next = 0;
  let depth = 0;
  let steps = 0;
  const spend = (count: number): void => {
    steps += count;
    if (steps > maxSteps) throw calculation(`The expression needs more than ${maxSteps} steps: compute it in parts`);
  };
  const peek = (): Token => tokens[next] ?? { kind: 'end', text: '', place: expression.length + 1 };
  const take = (...texts: readonly string[]): string | undefined => {
    const { kind, text } = peek();
    if (kind !== 'sign' || !texts.includes(text)) return undefined;
    next++;
    return text;
  };
  const expect = (text: string): void => {
    if (take(text) === undefined) throw unexpected(peek(), `"${text}"`);
  };
  const nested = (read: () => Decimal): Decimal => {
    if (++depth > maxDepth) throw calculation(`The expression is nested more than ${maxDepth} times`);
    const value = read();
    depth--;
    return value;
  };

  function readSum(): Decimal {
    let value = readProduct();
    for (let sign = take('+', '-'); sign !== undefined; sign = take('+', '-')) {
      const right = readProduct();
      spend(1);
      value = checked(sign === '+' ? value.plus(right) : value.minus(right), 'The sum');
    }
    return value;
  }

  function readProduct(): Decimal {
    let value = readSigned();
    for (let sign = take('*', '/', '%'); sign !== undefined; sign = take('*', '/', '%')) {
      const right = readSigned();
      spend(1);
      if (sign === '%') value = checked(remainder(value, right), 'The remainder');
      else if (sign === '*') value = checked(value.times(right), 'The product', value.isZero() || right.isZero());
      else if (right.isZero()) throw calculation('Division by 0');
      else value = checked(new Rounded(value).div(right), 'The quotient', value.isZero());
    }
    return value;
  }

  function readSigned(): Decimal {
    const sign = take('-', '+');
    if (sign === undefined) return readPower();
    const value = nested(readSigned);
    return sign === '-' ? value.negated() : value;
  }

  function readPower(): Decimal {
    const base = readFactorial();
    if (take('^') === undefined) return base;
    // From the right, and with a sign: 2^-3^2 is 2^(-(3^2)).
    const exponent = nested(readSigned);
    spend(stepsOfPower(exponent));
    return checked(power(base, exponent), 'The power', base.isZero());
  }

  function readFactorial(): Decimal {
    let value = readValue();
    while (take('!') !== undefined) {
      spend(stepsOf('factorial', [value]));
      value = factorial(value);
    }
    return value;
  }

  function readValue(): Decimal {
    const token = peek();
    next++;
    if (token.kind === 'number') return readNumber(token.text);
    if (token.kind === 'name') return readName(token);
    if (token.text !== '(') throw unexpected(token, 'a number');
    const value = nested(readSum);
    expect(')');
    return value;
  }

  function readName({ text, place }: Token): Decimal {
    if (take('(') === undefined) {
      const value = variables.get(text) ?? constants.get(text);
      if (value === undefined) throw calculation(`There is no variable ${text} at character ${place}`);
      return value;
    }
    const values: Decimal[] = [];
    do values.push(nested(readSum));
    while (take(',') !== undefined);
    expect(')');
    spend(stepsOf(text, values));
    return call(text, values);
  }

  const value = readSum();
  if (peek().kind !== 'end') throw unexpected(peek(), 'a sign such as + or the end');
  return value;
}

/** Returns a number as it was written. @throws KernelError `E_CALCULATION` for one that is out of range */
export function readNumber(text: string): Decimal {
  const plain = text.replaceAll('_', '');
  const isZero = /^[+-]?[0.]*(?:e|$)/i.test(plain);
  return checked(new Exact(plain), 'A number', isZero);
}

function readTokens(expression: string): readonly Token[] {
  const tokens: Token[] = [];
  const end = expression.trimEnd().length;
  tokenPattern.lastIndex = 0;
  for (let place = 0; place < end; place = tokenPattern.lastIndex) {
    tokenPattern.lastIndex = place;
    const { groups } = tokenPattern.exec(expression) ?? {};
    if (groups === undefined) {
      const rest = expression.slice(place).trimStart();
      throw calculation(
        `Unexpected ${JSON.stringify([...rest][0])} at character ${expression.length - rest.length + 1}`,
      );
    }
    const [kind, text] = Object.entries(groups).find(([, found]) => found !== undefined) as [Token['kind'], string];
    tokens.push({ kind, text: signs.get(text) ?? text, place: tokenPattern.lastIndex - text.length + 1 });
  }
  return tokens;
}

function unexpected({ kind, text, place }: Token, wanted: string): Error {
  return calculation(
    kind === 'end'
      ? `The expression ends where ${wanted} is needed`
      : `Unexpected "${text}" at character ${place}, where ${wanted} is needed`,
  );
}
