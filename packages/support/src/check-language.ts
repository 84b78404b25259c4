import { KernelError } from '@ravi/kernel';
import type { Sandbox, SandboxLanguage } from '@ravi/kernel';

/** Packages with a sandbox for a language that the default one does not run. */
const packageOf: Partial<Record<SandboxLanguage, string>> = { python: '@ravi/sandbox-pyodide' };

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
