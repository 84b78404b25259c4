import { S3Client } from '@aws-sdk/client-s3';
import type { S3ClientConfig } from '@aws-sdk/client-s3';

/** How the bucket is reached. */
export interface S3ConnectionOptions {
  /** Region of the bucket; that of the environment or the profile when absent. */
  readonly region?: string;
  /** Base URL of a server that is not Amazon's. */
  readonly endpoint?: string;
  /** Puts the name of the bucket into the path, where Amazon has it in the host name. */
  readonly forcePathStyle?: boolean;
  /** Keys, or a function that gives them; the default chain of the SDK when absent. Never logged. */
  readonly credentials?: NonNullable<S3ClientConfig['credentials']>;
  /** How often a request is tried, with growing pauses, when the server or the network fails; 3. */
  readonly maxAttempts?: number;
  /** Milliseconds until one try of a request is given up: for the connection, the answer, and each silence in it. */
  readonly requestTimeoutMs?: number;
}

/** Tries of a request. */
export const defaultMaxAttempts = 3;

/** One minute. */
export const defaultRequestTimeoutMs = 60_000;

/** A client of the SDK; it opens a connection with its first request. */
export function connect(options: S3ConnectionOptions): S3Client {
  const { region, endpoint, forcePathStyle, credentials } = options;
  const { maxAttempts = defaultMaxAttempts, requestTimeoutMs = defaultRequestTimeoutMs } = options;
  return new S3Client({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(forcePathStyle === undefined ? {} : { forcePathStyle }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts,
    // With the header the SDK opens a connection for each part and closes it after; a server that invites a body and
    // then refuses it cuts such a connection off, often before its answer was read. One that stays open is read out.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      socketTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
    // The signature covers the SHA-256 of each body already, and readers verify: a CRC on top would be a third pass.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}
