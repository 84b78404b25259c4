import type { MediaBlock } from '@ravi/kernel';
import type { WireObject } from '@ravi/provider-kit';

/** What a model says aloud: sound in base 64, whole or piece by piece, and its words. */
export interface Speech {
  /** Takes a piece and gives the words in it. */
  take(audio: WireObject): string;
  /** The sound so far; `undefined` when there was none. */
  end(): MediaBlock | undefined;
}

const mediaTypes: ReadonlyMap<string | undefined, string> = new Map([
  ['wav', 'audio/wav'],
  ['mp3', 'audio/mpeg'],
  ['aac', 'audio/aac'],
  ['flac', 'audio/flac'],
  ['opus', 'audio/ogg'],
  ['pcm16', 'audio/pcm'],
]);

/** @param format as the request asked for it; no answer names it */
export function createSpeech(format: string | undefined): Speech {
  const pieces: Buffer[] = [];
  return {
    take({ data, transcript }) {
      // Each piece is padded for itself.
      if (typeof data === 'string' && data !== '') pieces.push(Buffer.from(data, 'base64'));
      return typeof transcript === 'string' ? transcript : '';
    },
    end() {
      const bytes = Buffer.concat(pieces.splice(0));
      if (bytes.byteLength === 0) return undefined;
      const mediaType = mediaTypes.get(format) ?? 'application/octet-stream';
      return { type: 'audio', mediaType, source: { kind: 'bytes', bytes } };
    },
  };
}
