import { S3Client } from '@aws-sdk/client-s3';
import type { S3ClientConfig } from '@aws-sdk/client-s3';

/** Options of the connection to a bucket. */
export interface S3ConnectionOptions {
  /** Region of the bucket; by default the one of the environment or the profile. */
  readonly region?: string;
  /** Base URL of a server other than Amazon's. */
  readonly endpoint?: string;
  /** Puts the bucket name into the path instead of the host name, where Amazon has it. */
  readonly forcePathStyle?: boolean;
  /** Keys, or a function that returns them; the default chain of the SDK by default. Never logged. */
  readonly credentials?: NonNullable<S3ClientConfig['credentials']>;
  /** Maximum attempts of a request, with growing pauses, when the server or the network fails; 3 by default. */
  readonly maxAttempts?: number;
  /** Milliseconds after which one attempt is given up: to connect, for the first byte, and between two bytes. */
  readonly requestTimeoutMs?: number;
}

/** Default of `maxAttempts`. */
export const defaultMaxAttempts = 3;

/** Default of `requestTimeoutMs`: one minute. */
export const defaultRequestTimeoutMs = 60_000;

/** Creates an SDK client, which connects with its first request. */
export function connect(options: S3ConnectionOptions): S3Client {
  const { region, endpoint, forcePathStyle, credentials } = options;
  const { maxAttempts = defaultMaxAttempts, requestTimeoutMs = defaultRequestTimeoutMs } = options;
  return new S3Client({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(forcePathStyle === undefined ? {} : { forcePathStyle }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts,
    // With the header the SDK uses a new connection for each part. A server that answers 100 and then refuses the body
    // closes such a connection, often before its response was read. A connection that stays open is read to the end.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      socketTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
    // The signature already covers the SHA-256 of each body, and readers verify it: a CRC would be a third pass.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}
