import { X509Certificate, createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { KernelError } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';

/** Files of one side of a connection, in PEM. Relative paths are below the folder of the configuration. */
export interface TlsFiles {
  /** Certificates of the authorities that sign the certificates of the other side. */
  readonly ca: string;
  /** Own certificate, followed by those between it and the authority. */
  readonly cert: string;
  /** Private key of the own certificate. */
  readonly key: string;
}

/** Content of {@link TlsFiles}. */
export interface TlsMaterial {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** {@link TlsFiles} as properties of a configuration schema. */
export const tlsFileProperties: Readonly<Record<keyof TlsFiles, JsonSchema>> = Object.freeze({
  ca: {
    type: 'string',
    minLength: 1,
    description: 'PEM file with the authorities that sign the certificates of the other side.',
  },
  cert: { type: 'string', minLength: 1, description: 'PEM file with the own certificate.' },
  key: { type: 'string', minLength: 1, description: 'PEM file with the private key of the certificate.' },
});

/**
 * Reads the files of one side and checks that they belong together.
 * @throws KernelError `E_CONFIG_INVALID` that names the option and its file, never their content
 */
export async function readTlsFiles(files: TlsFiles, baseDir: string): Promise<TlsMaterial> {
  const [ca, cert, key] = await Promise.all([
    readPem('ca', files.ca, baseDir),
    readPem('cert', files.cert, baseDir),
    readPem('key', files.key, baseDir),
  ]);
  const authority = certificateOf('ca', files.ca, ca);
  if (!authority.ca) throw invalid('ca', files.ca, 'is not the certificate of an authority');
  const own = certificateOf('cert', files.cert, cert);
  const now = Date.now();
  if (now > own.validToDate.getTime()) throw invalid('cert', files.cert, `expired at ${own.validToDate.toISOString()}`);
  if (now < own.validFromDate.getTime()) {
    throw invalid('cert', files.cert, `is valid only from ${own.validFromDate.toISOString()}`);
  }
  let isOwnKey: boolean;
  try {
    isOwnKey = own.checkPrivateKey(createPrivateKey(key));
  } catch {
    // The error of OpenSSL is left out, because it is about a secret.
    throw invalid('key', files.key, 'is not a private key in PEM without a password');
  }
  if (!isOwnKey) throw invalid('key', files.key, `does not belong to the certificate ${files.cert}`);
  return { ca, cert, key };
}

async function readPem(option: keyof TlsFiles, path: string, baseDir: string): Promise<string> {
  try {
    return await readFile(resolve(baseDir, path), 'latin1');
  } catch (cause) {
    throw invalid(option, path, `cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}

function certificateOf(option: keyof TlsFiles, path: string, text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch {
    throw invalid(option, path, 'is not a certificate in PEM');
  }
}

function invalid(option: keyof TlsFiles, path: string, problem: string): KernelError {
  return new KernelError('E_CONFIG_INVALID', `${option}: the file ${path} ${problem}`);
}
