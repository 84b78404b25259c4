import { runTool } from '@ravi/testkit';
import type { JsonObject } from '@ravi/kernel';
import { Decimal } from 'decimal.js';
import { expect, test, vi } from 'vitest';
import { createCalculator } from '../src/index.ts';
import { calculate, readNumber } from '../src/calculator/calculate.ts';

const tool = createCalculator();

test.each([
  ['1 + 2 * 3', '7'],
  ['0.1 + 0.2', '0.3'],
  ['(1 + 2) * 3', '9'],
  ['-2^2', '-4'],
  ['2^3^2', '512'],
  ['2^-1', '0.5'],
  ['2**10', '1024'],
  ['7 % 3', '1'],
  ['-7 % 3', '2'],
  ['7.5 % -2', '-0.5'],
  ['1/3*3', '1'],
  ['1/3', `0.${'3'.repeat(40)}`],
  ['1_000_000 * 1e3', '1000000000'],
  ['6 \u00d7 7 \u2212 84 \u00f7 2', '0'],
  ['5!', '120'],
  ['3!!', '720'],
  ['2^200', (2n ** 200n).toString()],
  [
    '100!',
    Array.from({ length: 100 }, (_value, index) => BigInt(index + 1))
      .reduce((left, right) => left * right)
      .toString(),
  ],
  ['sqrt(16) + cbrt(27)', '7'],
  ['round(2.345, 2)', '2.35'],
  ['round(-2.5)', '-3'],
  ['floor(-1.5) + ceil(1.2) + trunc(-1.7)', '-1'],
  ['sum(1, 2, 3) / mean(1, 2, 3)', '3'],
  ['median(3, 1, 2, 4)', '2.5'],
  ['min(3, 1) + max(3, 1)', '4'],
  ['gcd(12, 18) + lcm(4, 6)', '18'],
  ['gcd(-12, 0) + gcd(0, 0)', '12'],
  ['gcd(2^3000, 6^300)', (2n ** 300n).toString()],
  ['log10(1000) + log2(8) + ln(e) + log(81, 3)', '11'],
  ['sin(pi/2) + cos(0)', '2'],
  ['hypot(3, 4)', '5'],
  ['mod(10, 4)', '2'],
  ['1e-500 * 1e499', '0.1'],
  ['1e-50', '1e-50'],
  ['  +.5  ', '0.5'],
])('%s is %s', async (expression, result) => {
  const { result: called, approvals } = await runTool(tool, { expression });
  expect(called.text).toBe(result);
  expect(called.structured).toMatchObject({ result, value: Number(result) });
  expect(approvals).toEqual([]);
});

test('variables have names, and as text all their digits', async () => {
  const variables = { price: '19.990', count: 3, constructor: 1 };
  expect((await runTool(tool, { expression: 'price * count + constructor', variables })).result.text).toBe('60.97');
  // A variable may take the place of a constant.
  expect((await runTool(tool, { expression: 'e', variables: { e: 5 } })).result.text).toBe('5');
});

test.each([
  ['1 +', /ends where a number is needed/],
  ['1 2', /Unexpected "2" at character 3/],
  ['(1', /ends where "\)" is needed/],
  ['1 + $', /Unexpected "\$" at character 5/],
  ['1; 2', /Unexpected ";"/],
  ['"text"', /Unexpected "\\""/],
  ['a.b', /Unexpected "\."/],
  ['[1,2]', /Unexpected "\["/],
  ['x = 3', /Unexpected "="/],
  ['x', /no variable x at character 1/],
  ['__proto__', /no variable __proto__/],
  ['constructor("return process")()', /Unexpected/],
  ['constructor(1)', /no function constructor/],
  ['toString()', /a number is needed/],
  ['sqrt()', /Unexpected "\)"/],
  ['sqrt(1, 2)', /sqrt takes 1 values, and has 2/],
  ['log(8)', /log takes 2 values, and has 1/],
  ['1/0', /Division by 0/],
  ['1 % 0', /Division by 0/],
  ['0^-1', /0 has no negative power/],
  ['sqrt(-1)', /not a real number/],
  ['(-8)^(1/3)', /not a real number/],
  ['ln(0)', /above 0/],
  ['asin(2)', /not a real number/],
  ['1e2000', /larger than 1e1000/],
  ['1e-2000', /smaller than 1e-1000/],
  ['1e-900 * 1e-900', /smaller than 1e-1000/],
  ['10^1001', /larger than 1e1000/],
  ['9^9^9^9', /larger than 1e1000/],
  ['500!', /whole number from 0 to 449/],
  ['(-1)!', /whole number/],
  ['1.5!', /whole number/],
  ['sin(1e300)', /An angle is at most/],
  ['gcd(1.5, 2)', /whole numbers/],
  ['round(1, 1000)', /from 0 to 100/],
  [`${'('.repeat(101)}1${')'.repeat(101)}`, /nested more than 100 times/],
  [`${'-'.repeat(1_500)}1`, /nested more than 100 times/],
  [`2${'^2'.repeat(500)}`, /nested more than 100 times/],
  [`${'sqrt('.repeat(300)}1`, /nested more than 100 times/],
  ['1.1^9999+'.repeat(200) + '1', /more than 2000 steps/],
  ['pow(1.1,9999)+'.repeat(140) + '1', /more than 2000 steps/],
  ['449!+'.repeat(398) + '1', /more than 2000 steps/],
  ['1'.repeat(1_500), /larger than 1e1000/],
])('%s is refused', async (expression, message) => {
  const { result } = await runTool(tool, { expression });
  expect(result.error?.code).toBe('E_CALCULATION');
  expect(result.text).toMatch(message);
});

test.each([
  {},
  { expression: 5 },
  { expression: '' },
  { expression: '1+'.repeat(1_500) },
  { expression: '1', variables: { 'a b': 1 } },
  { expression: '1', variables: { a: 'one' } },
  { expression: '1', variables: { a: null } },
  { expression: '1', other: 1 },
])('wrong arguments are refused: %#', async (args) => {
  expect((await runTool(tool, args as JsonObject)).result.error?.code).toBe('E_ARGUMENTS_INVALID');
});

test('the most expensive expressions within the steps are computed', () => {
  const widest = `1.${'7'.repeat(200)}`;
  for (const expression of [
    '449! / 3 % 7 + '.repeat(100) + '1',
    `${`${widest}^999 + `.repeat(8)}1`,
    'exp(ln(1e999 - 1)) / 3 + '.repeat(70) + '1',
    'gcd(2^3000 + 1, 3^2000 + 2) + '.repeat(15) + '1',
    'mod(1e1000 - 1, 1e-500 + 1) + '.repeat(60) + '1',
    'abs(tan(1e15)) ^ 0.3 + '.repeat(100) + '1',
  ])
    expect(calculate(expression).isFinite()).toBe(true);
});

test('gcd of two neighbours of the Fibonacci numbers, which need the most divisions, takes BigInt and not decimals', () => {
  let [a, b] = [1n, 1n];
  while (b < 10n ** 990n) [a, b] = [b, a + b];
  const numbers = new Map([
    ['a', readNumber(String(a))],
    ['b', readNumber(String(b))],
  ]);
  const mod = vi.spyOn(Decimal.prototype, 'mod');
  expect(calculate('gcd(a,b)+'.repeat(200) + '1', numbers).toFixed()).toBe('201');
  expect(mod).not.toHaveBeenCalled();
  mod.mockRestore();
});

test('sums, products and differences of whole numbers agree with those of BigInt', () => {
  let state = 42;
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648);
  for (let round = 0; round < 300; round++) {
    const numbers = Array.from({ length: 6 }, () => BigInt(next()) * BigInt(next()));
    let expression = String(numbers[0]);
    let code = `${numbers[0]}n`;
    for (const number of numbers.slice(1)) {
      const sign = ['+', '-', '*'][next() % 3] ?? '+';
      expression = next() % 4 === 0 ? `(${expression}) ${sign} ${number}` : `${expression} ${sign} ${number}`;
      code = expression.replaceAll(/\d+/g, '$&n');
    }
    expect(calculate(expression).toFixed()).toBe(String(evaluated(code)));
  }
});

// Only expressions of this test.
function evaluated(code: string): bigint {
  return new Function(`return ${code}`)() as bigint;
}
