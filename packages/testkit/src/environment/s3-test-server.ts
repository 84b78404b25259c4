/** Access keys of one user of an S3 server. */
export interface S3TestKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A real S3 server that tests may use. */
export interface S3TestServer {
  readonly endpoint: string;
  /** Belongs to `owner`. */
  readonly bucket: string;
  readonly owner: S3TestKeys;
  /** Has no right to the bucket. */
  readonly stranger: S3TestKeys;
  /** Has a bucket with room for a megabyte. */
  readonly limited: S3TestKeys & { readonly bucket: string };
  /** A key that the server encrypts with when it is asked for `aws:kms`. */
  readonly kmsKeyId: string;
}

/** Reason for skipping tests when {@link s3TestServer} returns `undefined`. */
export const noS3TestServer = 'no S3 server; `node scripts/s3-server.ts npm test` starts one';

/**
 * The server that `RAVI_S3_TEST_SERVER` describes in JSON, `undefined` when the variable is not set: skip the test then
 * and say so. `node scripts/s3-server.ts <command>` starts one and sets the variable.
 */
export function s3TestServer(): S3TestServer | undefined {
  const description = process.env['RAVI_S3_TEST_SERVER'];
  return description === undefined ? undefined : (JSON.parse(description) as S3TestServer);
}
