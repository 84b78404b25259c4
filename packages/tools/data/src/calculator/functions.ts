import type { Decimal } from 'decimal.js';
import { calculation, checked, Exact, Rounded } from './numbers.ts';

type Values = readonly Decimal[];
interface Definition {
  readonly least: number;
  /** `Infinity` for any number of arguments. */
  readonly most: number;
  readonly compute: (values: Values) => Decimal;
}

const maxFactorial = 449;
const functionSteps = 5;
/** Beyond this the digits of an angle say nothing about its place on the circle. */
const maxAngle = 1e15;

const one = (compute: (value: Decimal) => Decimal): Definition => ({
  least: 1,
  most: 1,
  compute: ([value = new Exact(0)]) => compute(value),
});
const two = (compute: (left: Decimal, right: Decimal) => Decimal): Definition => ({
  least: 2,
  most: 2,
  compute: ([left = new Exact(0), right = new Exact(0)]) => compute(left, right),
});
const many = (compute: (values: Values) => Decimal): Definition => ({ least: 1, most: Infinity, compute });
const rounded = (value: Decimal): Decimal => new Rounded(value);
const angle = (compute: (value: Decimal) => Decimal): Definition =>
  one((value) => {
    if (value.abs().gt(maxAngle)) throw calculation(`An angle is at most ${maxAngle}`);
    return compute(rounded(value));
  });

const definitions: ReadonlyMap<string, Definition> = new Map(
  Object.entries({
    abs: one((value) => value.abs()),
    sign: one((value) => new Exact(Exact.sign(value))),
    floor: one((value) => value.floor()),
    ceil: one((value) => value.ceil()),
    trunc: one((value) => value.trunc()),
    round: {
      least: 1,
      most: 2,
      compute: ([value = new Exact(0), digits = new Exact(0)]) => {
        const places = whole(digits, 'The digits of round', 100);
        return value.toDecimalPlaces(places, Exact.ROUND_HALF_UP);
      },
    },
    sqrt: one((value) => rounded(value).sqrt()),
    cbrt: one((value) => rounded(value).cbrt()),
    exp: one((value) => rounded(value).exp()),
    ln: one((value) => rounded(positive(value)).ln()),
    log2: one((value) => rounded(positive(value)).log(2)),
    log10: one((value) => rounded(positive(value)).log(10)),
    log: two((value, base) => rounded(positive(value)).log(positive(base))),
    sin: angle((value) => value.sin()),
    cos: angle((value) => value.cos()),
    tan: angle((value) => value.tan()),
    asin: one((value) => rounded(value).asin()),
    acos: one((value) => rounded(value).acos()),
    atan: one((value) => rounded(value).atan()),
    atan2: two((y, x) => Rounded.atan2(rounded(y), rounded(x))),
    hypot: many((values) => Rounded.hypot(...values)),
    pow: two(power),
    mod: two(remainder),
    min: many((values) => Exact.min(...values)),
    max: many((values) => Exact.max(...values)),
    sum: many(sum),
    mean: many((values) => rounded(sum(values)).div(values.length)),
    median: many(median),
    factorial: one(factorial),
    gcd: two(gcd),
    lcm: two((left, right) => (left.isZero() ? left : left.div(gcd(left, right)).times(right).abs())),
  } satisfies Record<string, Definition>),
);

/** Names of the functions. */
export const functionNames: readonly string[] = [...definitions.keys()];

/** @throws KernelError `E_CALCULATION` for an unknown function, or arguments that it does not take */
export function call(name: string, values: Values): Decimal {
  const definition = definitions.get(name);
  if (definition === undefined)
    throw calculation(`There is no function ${name}. Functions: ${functionNames.join(', ')}`);
  const { least, most, compute } = definition;
  if (values.length < least || values.length > most) {
    const count = most === Infinity ? `at least ${least}` : least === most ? String(least) : `${least} to ${most}`;
    throw calculation(`${name} takes ${count} values, and has ${values.length}`);
  }
  return checked(compute(values), `The result of ${name}`);
}

/** Returns the steps of a call: its time as a multiple of that of a sum, roughly. */
export function stepsOf(name: string, values: Values): number {
  const [base, exponent] = values;
  if (name === 'pow' && base !== undefined && exponent !== undefined) return stepsOfPower(exponent);
  return functionSteps + values.length;
}

/** Returns the steps of a power: a whole exponent needs two products of all digits for each of its bits. */
export function stepsOfPower(exponent: Decimal): number {
  if (!isExactExponent(exponent)) return functionSteps;
  return functionSteps + 4 * Math.ceil(Math.log2(exponent.toNumber() + 1));
}

function isExactExponent(exponent: Decimal): boolean {
  return exponent.isInteger() && !exponent.isNegative() && exponent.lte(10_000);
}

/** Returns a power: with all its digits for a whole exponent of at least 0. */
export function power(base: Decimal, exponent: Decimal): Decimal {
  if (base.isZero() && exponent.isNegative()) throw calculation('0 has no negative power');
  return isExactExponent(exponent) ? base.pow(exponent) : rounded(base).pow(rounded(exponent));
}

/** Returns the remainder, with the sign of the divisor. */
export function remainder(left: Decimal, right: Decimal): Decimal {
  if (right.isZero()) throw calculation('Division by 0');
  const rest = left.mod(right);
  return rest.isZero() || rest.isNegative() === right.isNegative() ? rest : rest.plus(right);
}

/** Returns the product of the whole numbers up to a value. */
export function factorial(value: Decimal): Decimal {
  const last = whole(value, 'A factorial', maxFactorial);
  let product = new Exact(1);
  for (let factor = 2; factor <= last; factor++) product = product.times(factor);
  return product;
}

function whole(value: Decimal, what: string, most: number): number {
  if (!value.isInteger() || value.isNegative() || value.gt(most)) {
    throw calculation(`${what} needs a whole number from 0 to ${most}`);
  }
  return value.toNumber();
}

function positive(value: Decimal): Decimal {
  if (value.lte(0)) throw calculation('A logarithm needs a number above 0');
  return value;
}

function sum(values: Values): Decimal {
  return values.reduce((total, value) => total.plus(value), new Exact(0));
}

function median(values: Values): Decimal {
  const sorted = values.toSorted((left, right) => left.cmp(right));
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? new Exact(0);
  return sorted.length % 2 === 1 ? upper : upper.plus(sorted[middle - 1] ?? upper).div(2);
}

function gcd(left: Decimal, right: Decimal): Decimal {
  if (!left.isInteger() || !right.isInteger()) throw calculation('gcd and lcm need whole numbers');
  // Whole numbers have up to 1001 digits, and BigInt divides them faster.
  let [a, b] = [BigInt(left.abs().toFixed()), BigInt(right.abs().toFixed())];
  while (b !== 0n) [a, b] = [b, a % b];
  return new Exact(a.toString());
}
