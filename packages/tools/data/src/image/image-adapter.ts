import type { ModelUsage } from '@ravi/kernel';

/** Picture that is asked for. */
export interface ImageQuestion {
  readonly prompt: string;
  readonly shape: ImageShape;
}

/** Proportions of a picture. */
export type ImageShape = 'square' | 'landscape' | 'portrait';

/** Request to a service. */
export interface ImageRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Picture of a service. */
export interface RawImage {
  readonly base64: string;
  /** As the service says it; the content decides. */
  readonly mediaType: string | undefined;
}

/** Response of a service. */
export interface RawImages {
  readonly images: readonly RawImage[];
  readonly usage?: ModelUsage;
  /** Reason why there is no picture. */
  readonly refusal?: string;
}

/** A service that makes pictures. */
export interface ImageAdapter {
  readonly defaultUrl: string;
  /** Id of the provider, for budgets. */
  readonly provider: string;
  request(
    question: ImageQuestion,
    options: { readonly url: string; readonly key: string; readonly model: string },
  ): ImageRequest;
  read(body: unknown): RawImages;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the value below these keys; `undefined` if there is none. */
export function valueAt(value: unknown, ...keys: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of keys) {
    found =
      typeof found === 'object' && found !== null && Object.hasOwn(found, key) ? (found as Fields)[key] : undefined;
  }
  return found;
}

/** Returns the list below these keys; an empty one if there is none. */
export function itemsAt(value: unknown, ...keys: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...keys);
  return Array.isArray(found) ? found : [];
}

/** Returns a text, or `undefined` for any other value. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the counts of tokens, if the service sent both. */
export function usageOf(input: unknown, output: unknown): { readonly usage?: ModelUsage } {
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
  return isCount(input) && isCount(output) ? { usage: { inputTokens: input, outputTokens: output } } : {};
}

/** Returns an address below the one of the service. */
export function below(url: string, path: string): URL {
  return new URL(`${url.replace(/\/+$/, '')}/${path}`);
}
