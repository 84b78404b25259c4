/** A new id that nobody can guess: `<prefix>_<uuid>`. */
export function randomId(prefix: string): string {
  // Joined, and not a template: V8 keeps a UUID, and what is put together with it, as a tree of some twenty parts, for as
  // long as the id lives, while a join writes one string.
  return [prefix, crypto.randomUUID()].join('_');
}
