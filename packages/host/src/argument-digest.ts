import * as crypto from 'node:crypto';

/** Bytes of a SHA-256 block and digest. */
const blockBytes = 64;
const digestBytes = 32;
/** Texts of up to this length share one buffer. */
const sharedCharacters = 4_096;

/**
 * Creates a function that digests the canonical arguments of calls: `hmac-sha256:<hex>`. It uses two one-shot hashes over
 * reused buffers, which for short texts takes a tenth of the time of Node's HMAC objects. Source: RFC 2104.
 */
export function createArgumentDigest(key: Uint8Array): (canonical: string) => string {
  const block = Buffer.alloc(blockBytes);
  block.set(key.length > blockBytes ? crypto.hash('sha256', key, 'buffer') : key);
  const shared = Buffer.alloc(blockBytes + 3 * sharedCharacters);
  const outer = Buffer.alloc(blockBytes + digestBytes);
  for (const [index, byte] of block.entries()) {
    shared[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  }

  function innerOf(canonical: string): Buffer {
    if (canonical.length <= sharedCharacters) {
      return shared.subarray(0, blockBytes + shared.write(canonical, blockBytes));
    }
    return Buffer.concat([shared.subarray(0, blockBytes), Buffer.from(canonical)]);
  }

  return (canonical) => {
    outer.set(crypto.hash('sha256', innerOf(canonical), 'buffer'), blockBytes);
    return `hmac-sha256:${crypto.hash('sha256', outer, 'hex')}`;
  };
}
