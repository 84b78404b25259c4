import { KernelError } from '@ravi/kernel';
import type { Sandbox, SandboxLanguage, SandboxSupport } from '@ravi/kernel';

/** Packages with a sandbox for a language that the default one does not run. */
const packageOf: Partial<Record<SandboxLanguage, string>> = { python: '@ravi/sandbox-pyodide' };

const isolations: readonly SandboxSupport['isolation'][] = ['none', 'isolate', 'process', 'container'];

/**
 * Returns one sandbox of several: each script runs in the first one that runs its language. Its isolation is the weakest of
 * theirs, its limits are those that all of them enforce. Disposing it disposes all.
 * @throws KernelError `E_CONFIG_INVALID` for a sandbox whose languages all run in others before it
 */
export function composeSandboxes(sandboxes: readonly [Sandbox, ...Sandbox[]]): Sandbox {
  const [first, ...others] = sandboxes;
  if (others.length === 0) return first;
  const owners = new Map<SandboxLanguage, Sandbox>();
  for (const sandbox of sandboxes) {
    const { languages } = sandbox.supports;
    const own = languages.filter((language) => !owners.has(language));
    if (own.length === 0) {
      const message = `The sandbox ${sandbox.name} runs only ${languages.join(', ')}, for which another sandbox comes first`;
      throw new KernelError('E_CONFIG_INVALID', message);
    }
    for (const language of own) owners.set(language, sandbox);
  }
  const languages = [...owners.keys()];
  const languagesThat = (has: (supports: SandboxSupport, language: SandboxLanguage) => boolean): SandboxLanguage[] =>
    [...owners].filter(([language, { supports }]) => has(supports, language)).map(([language]) => language);
  const name = sandboxes.map((sandbox) => sandbox.name).join('+');

  const supports: SandboxSupport = {
    languages,
    isolation:
      isolations[Math.min(...sandboxes.map(({ supports }) => isolations.indexOf(supports.isolation)))] ?? 'none',
    limits: first.supports.limits.filter((limit) => others.every(({ supports }) => supports.limits.includes(limit))),
    detectsDeadlock: sandboxes.every(({ supports }) => supports.detectsDeadlock),
    files: languagesThat(({ files = [] }, language) => files.includes(language)),
    marksTurns: languagesThat(({ marksTurns = [] }, language) => marksTurns.includes(language)),
  };

  return {
    name,
    supports,
    async run(request) {
      checkLanguage({ name, supports }, request.language);
      return (owners.get(request.language) ?? first).run(request);
    },
    async [Symbol.asyncDispose]() {
      const ends = await Promise.allSettled(sandboxes.map((sandbox) => sandbox[Symbol.asyncDispose]()));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    },
  };
}

/**
 * Checks that a sandbox runs a language.
 * @throws KernelError `E_UNSUPPORTED` that names the languages which it runs, and a package that runs this one
 */
export function checkLanguage({ name, supports }: Pick<Sandbox, 'name' | 'supports'>, language: SandboxLanguage): void {
  const { languages } = supports;
  if (languages.includes(language)) return;
  const other = packageOf[language];
  const hint =
    other === undefined ? '' : `; install ${other}, which runs it, and add { "use": "${other}" } to plugins.sandbox`;
  throw new KernelError('E_UNSUPPORTED', `The sandbox ${name} runs ${languages.join(' and ')}, not ${language}${hint}`);
}
