import { isSecretKey, visibleText } from '@ravi/support';

const maxArguments = 8;
const maxArgumentCharacters = 80;
const hidden = '…';

/** Beginnings of keys and tokens of well-known services. */
const knownTokens = /^(?:sk-|rk_|pk_|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|npm_|hf_|AKIA|ASIA|AIza|ya29\.|eyJ)/;
const credentialsInAddress = /^([a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#]{1,2000}@/i;
const assignment = /^(-{0,2}[A-Za-z][\w.-]{0,60})[=:]/;
const httpCredential = /\b(?:bearer|basic)\s/i;

/**
 * Returns a command with its first arguments, so that people tell two servers of one program apart, for example two of `npx`. Values
 * that are named or look like secrets are replaced by “…”, and what follows a question mark is left out. A value that is neither named
 * nor shaped like a secret is shown: a secret belongs into the environment.
 */
export function commandPlace(command: string, args: readonly string[] = []): string {
  const shown = args.slice(0, maxArguments).map((arg, index) => shownArgument(arg, args[index - 1]));
  const rest = args.length > maxArguments ? [hidden] : [];
  return visibleText([command, ...shown, ...rest].join(' ').replaceAll('?', ''));
}

function shownArgument(arg: string, before: string | undefined): string {
  if (before !== undefined && namesSecret(before) && !arg.startsWith('-')) return hidden;
  const [, name] = assignment.exec(arg) ?? [];
  if (name !== undefined && arg.length > name.length + 1 && isSecretName(name))
    return `${arg.slice(0, name.length + 1)}${hidden}`;
  if (httpCredential.test(arg)) return hidden;
  const [path = ''] = arg.replace(credentialsInAddress, `$1${hidden}@`).split('?');
  // An address, a path or a package has parts; each of them may be a token.
  const clean = path.replaceAll(/[^/\\:=@,;\s]+/g, (part) => (looksSecret(part) ? hidden : part));
  const line = clean.replaceAll(/\s+/g, ' ');
  return line.length > maxArgumentCharacters ? `${line.slice(0, maxArgumentCharacters)}${hidden}` : line;
}

/** True for an option whose value is the next argument: `--api-key`. */
function namesSecret(arg: string): boolean {
  return /^-{1,2}[A-Za-z][\w.-]*$/.test(arg) && isSecretName(arg);
}

function isSecretName(name: string): boolean {
  return isSecretKey(name.replace(/^-+/, ''));
}

// Long words of letters and digits without a meaning; a version or a number has dots or no letters.
function looksSecret(part: string): boolean {
  if (part.length < 12) return false;
  if (knownTokens.test(part)) return true;
  return part.length >= 20 && /^[\w+.~-]+$/.test(part) && /\d/.test(part) && /[A-Za-z]/.test(part) && !isWords(part);
}

/** True for names such as `server-2025-11-25` or `my_notes_2`, whose parts are either words or numbers. */
function isWords(part: string): boolean {
  return part
    .split(/[._+~-]/)
    .every((word) => /^(?:[A-Za-z]{0,20}|\d{1,8}|v\d{1,4}|[A-Za-z]{1,20}\d{1,2})$/.test(word));
}
