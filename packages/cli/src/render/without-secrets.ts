const secretName =
  /(?:token|secret|password|passphrase|credential|authorization|(?:access|api|private|signing)_?key)s?$/i;
const left = '[left out]';

/** Returns a copy without the texts of fields with secret-looking names, and without passwords in URLs. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value === 'string') return withoutPassword(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      typeof field === 'string' && secretName.test(name) ? left : withoutSecrets(field),
    ]),
  );
}

function withoutPassword(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:/@\s]*):[^@\s]*@/i, `$1:${left}@`);
}
