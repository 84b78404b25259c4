import { cases, measureAll } from './measure.ts';

const usage = `Usage: npm run compare-tools [-- <part of a case's name> …]`;

const parts = process.argv.slice(2);
const wanted = cases.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)));
if (process.platform !== 'linux') fail('The cases need Linux: they look into /proc.');
if (wanted.length === 0) fail(`No case has this in its name: ${parts.join(', ')}\n\n${usage}`);

const counts = new Map<string, number>();
await measureAll(wanted, ({ name }, { name: title }, { outcome, reason }, ms) => {
  counts.set(`${name}: ${outcome}`, (counts.get(`${name}: ${outcome}`) ?? 0) + 1);
  const note = reason === undefined ? '' : ` (${reason})`;
  console.log(
    `${name.padEnd(11)} ${outcome.padEnd(11)} ${`${(ms / 1_000).toFixed(1)} s`.padStart(7)}  ${title}${note}`,
  );
});
console.log(
  `\n${[...counts]
    .toSorted(([left], [right]) => left.localeCompare(right))
    .map(([cell, count]) => `${cell} ${count}`)
    .join('\n')}`,
);
process.exit();

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
