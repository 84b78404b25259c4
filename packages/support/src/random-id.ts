/** Returns a new unguessable id: `<prefix>_<uuid>`. */
export function randomId(prefix: string): string {
  // Not a template: V8 keeps a UUID and any concatenation with it as a tree of about twenty parts for as long as the id
  // lives, while a join writes one flat string.
  return [prefix, crypto.randomUUID()].join('_');
}
