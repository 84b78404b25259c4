import { targetOf } from './links.ts';
import { exists, read } from './repository.ts';

const page = 'docs/claims.md';

/**
 * Returns one line for each claim of `docs/claims.md` that its page does not contain word for word, or that names a test,
 * file or command that does not exist.
 */
export function claimProblems(text: string = read(page)): readonly string[] {
  let words = '';
  return text.split('\n').flatMap((line) => {
    const [, href] = /^## \[.+\]\((.+)\)$/.exec(line) ?? [];
    if (href !== undefined) words = plain(read(targetOf(page, href)?.path ?? href));
    const [, claim, proof = ''] = /^\| (.+?) +\| (.+?) +\|$/.exec(line) ?? [];
    if (claim === undefined || claim === 'claim' || claim.startsWith('---')) return [];
    const problems = [...testProblems(proof), ...commandProblems(proof)];
    if (!/\]\(|`npm run /.test(proof)) problems.push('names no test and no command');
    if (!words.includes(plain(claim))) problems.push('is not on its page');
    return problems.map((problem) => `${page}: “${claim}” ${problem}`);
  });
}

function testProblems(proof: string): string[] {
  return [...proof.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].flatMap(([, title = '', href = '']) => {
    const path = targetOf(page, href)?.path ?? href;
    if (!exists(path)) return [`names ${path}, which does not exist`];
    return read(path).includes(title) ? [] : [`names “${title}”, which ${path} does not contain`];
  });
}

function commandProblems(proof: string): string[] {
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  const groups = read('bench/src/main.ts');
  return [...proof.matchAll(/`npm run ([^\s`]+)([^`]*)`/g)].flatMap(([command = '', script = '', options = '']) => {
    if (!Object.hasOwn(scripts, script)) return [`names ${command}, which does not exist`];
    const names = Array.from(options.matchAll(/--group (\S+)/g), ([, name = '']) => name);
    const unknown = names.filter((name) => !new RegExp(`^ +'?${name}'?: async`, 'm').test(groups));
    return unknown.map((name) => `names the benchmark ${name}, which does not exist`);
  });
}

// Without marks of Markdown, and without line breaks.
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\]\([^)]*\)|[[*`]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
