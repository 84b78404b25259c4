import { KernelError } from '@ravi/kernel';

/** Names of the environment variables that hold the keys, so that no configuration contains a key. */
export interface CredentialVariables {
  readonly accessKeyIdVariable: string;
  readonly secretAccessKeyVariable: string;
  readonly sessionTokenVariable?: string;
}

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Reads the keys from `environment`. @throws KernelError `E_CONFIG_INVALID` if a variable is not set */
export function credentialsFrom(names: CredentialVariables, environment: NodeJS.ProcessEnv): Credentials {
  const read = (name: string): string => {
    const value = environment[name];
    if (value) return value;
    throw new KernelError(
      'E_CONFIG_INVALID',
      `The S3 blob store needs the environment variable ${name}, which is not set`,
    );
  };
  const { accessKeyIdVariable, secretAccessKeyVariable, sessionTokenVariable } = names;
  return {
    accessKeyId: read(accessKeyIdVariable),
    secretAccessKey: read(secretAccessKeyVariable),
    ...(sessionTokenVariable === undefined ? {} : { sessionToken: read(sessionTokenVariable) }),
  };
}
