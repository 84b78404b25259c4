import { KernelError } from '@ravi/kernel';
import type { ModelUsage } from '@ravi/kernel';
import { createSafeFetch } from '@ravi/safe-fetch';
import type { AddressLookup } from '@ravi/safe-fetch';
import { secretSpellings } from '@ravi/support';
import { geminiImages, imagenImages } from './google-images.ts';
import type { ImageAdapter, ImageQuestion } from './image-adapter.ts';
import { openaiImages } from './openai-images.ts';

/** Name of an interface that makes pictures. */
export type ImageService = 'openai' | 'gemini' | 'imagen';

const adapters: Readonly<Record<ImageService, ImageAdapter>> = {
  openai: openaiImages,
  gemini: geminiImages,
  imagen: imagenImages,
};

/** Names of the services. */
export const imageServices: readonly string[] = Object.keys(adapters);

/** Service of `image_gen`. */
export interface ImageOptions {
  readonly service: ImageService;
  readonly model: string;
  readonly key: string;
  /** Address of the interface. Default: that of its provider. */
  readonly url?: string;
  /** Tokens that are reserved for one picture. Default 5 000. */
  readonly reservedTokens?: number;
  /** True for a service on this machine or in a private network. Default `false`. */
  readonly allowPrivateAddresses?: boolean;
  /** Replaces the look-up of the system. */
  readonly lookup?: AddressLookup;
}

/** A picture. */
export interface MadeImage {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly usage: ModelUsage | undefined;
}

/** A service that is ready. */
export interface Images extends AsyncDisposable {
  readonly provider: string;
  readonly model: string;
  readonly host: string;
  readonly reservedTokens: number;
  /** @throws KernelError `E_HTTP_<status>`, `E_IMAGE_REFUSED`, `E_IMAGE_INVALID`, `E_FETCH_FAILED`, and those of `SafeFetch` */
  make(question: ImageQuestion, signal: AbortSignal): Promise<MadeImage>;
}

const maxBytes = 64 * 1024 * 1024;
const timeoutMs = 180_000;

/** @throws KernelError `E_CONFIG_INVALID` for an address that cannot be read */
export function openImages(options: ImageOptions): Images {
  const { service, model, key, reservedTokens = 5_000, allowPrivateAddresses = false, lookup } = options;
  const adapter = adapters[service];
  const address = options.url ?? adapter.defaultUrl;
  if (!/^https?:/i.test(address) || !URL.canParse(address)) {
    throw new KernelError('E_CONFIG_INVALID', 'images.url is not an address that begins with https: or http:');
  }
  const { host } = new URL(address);
  const limits = { maxBytes, timeoutMs, ...(lookup === undefined ? {} : { lookup }) };
  // The key goes to one host only.
  const fetch = createSafeFetch({ allowPrivateAddresses, pinnedHosts: [host], ...limits });
  const spellings = secretSpellings(key);
  const masked = (text: string): string =>
    spellings.reduce((clean, spelling) => clean.replaceAll(spelling, '***'), text);

  async function send(question: ImageQuestion, signal: AbortSignal): Promise<string> {
    const { url, headers, body } = adapter.request(question, { url: address, key, model });
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal,
      });
      const text = await response.text();
      if (!response.ok) throw statusError(response.status, host, masked(text));
      return text;
    } catch (error) {
      if (error instanceof KernelError || signal.aborted) throw error;
      throw new KernelError('E_FETCH_FAILED', `${host} could not be reached`, { cause: error });
    }
  }

  return {
    provider: adapter.provider,
    model,
    host,
    reservedTokens,
    async make(question, signal) {
      const { images, usage, refusal } = adapter.read(parse(await send(question, signal), host));
      const [image] = images;
      if (image === undefined) {
        const reason = refusal === undefined ? '' : `: ${masked(refusal).slice(0, 300)}`;
        throw new KernelError('E_IMAGE_REFUSED', `${host} made no picture${reason}`);
      }
      const bytes = Buffer.from(image.base64, 'base64');
      const mediaType = imageTypeOf(bytes);
      if (mediaType === undefined)
        throw new KernelError('E_IMAGE_INVALID', `${host} sent something that is not a picture`);
      return { bytes, mediaType, usage };
    },
    [Symbol.asyncDispose]: () => fetch[Symbol.asyncDispose](),
  };
}

function statusError(status: number, host: string, body: string): KernelError {
  const text = body.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
  // A request that was turned away costs nothing and may be made again; after other errors a picture may have been made.
  const isRefused = status === 429;
  return new KernelError(`E_HTTP_${status}`, `${host} answered with HTTP ${status}${text === '' ? '' : `: ${text}`}`, {
    retryable: isRefused,
    hadNoEffect: isRefused,
  });
}

function parse(body: string, host: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new KernelError('E_IMAGE_INVALID', `${host} did not answer with JSON`);
  }
}

/** Returns the media type of a picture by its first bytes; `undefined` for anything else. */
function imageTypeOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 16)).toString('latin1');
  if (head.startsWith('\u0089PNG\r\n\u001a\n')) return 'image/png';
  if (head.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  return head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP' ? 'image/webp' : undefined;
}
