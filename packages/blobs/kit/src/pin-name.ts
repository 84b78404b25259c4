import { createHash } from 'node:crypto';

/** What a store calls the pin of `owner`: an owner may be called anything, this is 64 hexadecimal digits. */
export function pinNameOf(owner: string): string {
  return createHash('sha256').update(owner).digest('hex');
}
