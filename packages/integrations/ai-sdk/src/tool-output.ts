import { KernelError } from '@ravi/kernel';
import type { InvocationResult, JsonValue } from '@ravi/kernel';

/** Output of a call that produced media. Its artifacts can be passed to other tools as `{ "$artifact": ref }`. */
export interface MediaOutput {
  readonly text: string;
  readonly artifacts: readonly { readonly $artifact: string; readonly mediaType: string; readonly bytes: number }[];
}

/**
 * Returns the output of a call for the SDK: its value, its text, or a {@link MediaOutput}.
 * @throws KernelError with the code of a failed, denied or refused call; the SDK sends its message to the model
 */
export function outputOf({ error, text, structured, files }: InvocationResult): JsonValue {
  if (error !== undefined) {
    const { code, retryable, retryAfterMs } = error;
    throw new KernelError(code, text, { retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
  }
  if (files.length === 0) return structured ?? text;
  const artifacts = files.map(({ artifactRef, mediaType, bytes }) => ({ $artifact: artifactRef, mediaType, bytes }));
  return { text, artifacts };
}

/** Returns true for a {@link MediaOutput}. The value may come from a client. */
export function isMediaOutput(output: unknown): output is MediaOutput {
  const { text, artifacts } = (output ?? {}) as Partial<MediaOutput>;
  return (
    typeof text === 'string' &&
    Array.isArray(artifacts) &&
    artifacts.every((each: unknown) => typeof (each as MediaOutput['artifacts'][number] | null)?.$artifact === 'string')
  );
}
