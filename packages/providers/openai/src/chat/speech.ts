import type { MediaBlock } from '@ravi/kernel';
import type { WireObject } from '@ravi/provider-kit';

/** Audio output of a model: base64 data, whole or in pieces, with its transcript. */
export interface Speech {
  /** Adds a piece and returns its transcript. */
  take(audio: WireObject): string;
  /** Returns the audio so far; `undefined` if there is none. */
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

/** Collects audio. @param format requested audio format, since responses do not name it */
export function createSpeech(format: string | undefined): Speech {
  const pieces: Buffer[] = [];
  return {
    take({ data, transcript }) {
      // Each piece has its own base64 padding.
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
