import { KernelError } from '@ravi/kernel';

/** Names of variables of the environment, so that no key stands in a configuration. */
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

/** Reads the keys from `environment`. @throws KernelError `E_CONFIG_INVALID` for a variable that is not set */
export function credentialsFrom(names: CredentialVariables, environment: NodeJS.ProcessEnv): Credentials {
  const read = (name: string): string => {
    const value = environment[name];
    if (value) return value;
    throw new KernelError('E_CONFIG_INVALID', `The variable ${name}, which the S3 blob store reads, is not set`);
  };
  const { accessKeyIdVariable, secretAccessKeyVariable, sessionTokenVariable } = names;
  return {
    accessKeyId: read(accessKeyIdVariable),
    secretAccessKey: read(secretAccessKeyVariable),
    ...(sessionTokenVariable === undefined ? {} : { sessionToken: read(sessionTokenVariable) }),
  };
}
