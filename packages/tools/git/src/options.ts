import type { JsonSchema, ToolContext } from '@ravi/kernel';
import type { Workspace } from '@ravi/tools-kit';

/** User name and password for one host. */
export interface GitCredential {
  readonly username: string;
  readonly password: string;
}

/** Transport of addresses of other repositories. */
export type GitProtocol = 'https' | 'ssh' | 'file';

/** Options of the git tools. */
export interface GitOptions {
  /** Folder that the repositories are in, relative to the configuration. Default: the workspace of the agent; without one a call fails. */
  readonly root?: string;
  /** Author and committer of commits. Default: `user.name` and `user.email` of the repository. */
  readonly identity?: { readonly name: string; readonly email: string };
  /** True to run the hooks of a repository: programs that are in its data. Default `false`. */
  readonly hooks?: boolean;
  /** Transports for clone, fetch and push. `file` reaches repositories inside the workspace. Default `https` and `ssh`. */
  readonly protocols?: readonly GitProtocol[];
  /** Hosts for clone, fetch and push. Default: all. */
  readonly hosts?: readonly string[];
  /**
   * True to allow addresses of this machine and of private networks. Link-local addresses, those of metadata services and reserved ones
   * are refused in any case. Default `false`.
   */
  readonly allowPrivateAddresses?: boolean;
  /** Credentials for HTTPS by host, for example `github.com`. */
  readonly credentials?: Readonly<Record<string, GitCredential>>;
  /** Milliseconds of one `git_clone` or `git_fetch`, in place of `callTimeoutMs`. Default 600 000. */
  readonly transferTimeoutMs?: number;
  /** Environment variables for git, such as `SSH_AUTH_SOCK` or `HTTPS_PROXY`. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Folder outside of the workspace for private copies of the data of repositories, and for clones until they are complete, relative to the
   * configuration. Default: that of the system for temporary files.
   */
  readonly privateFolder?: string;
}

/** Context that the work on a repository needs. */
export type GitContext = Pick<ToolContext, 'cwd' | 'signal'>;

/** Parts that the git tools share. */
export interface GitParts {
  readonly options: GitOptions;
  readonly workspaceOf: (context: Pick<ToolContext, 'cwd'>) => Workspace;
  /** Absolute path of the folder in which private folders are made. */
  readonly privateParent: string;
}

/** Schemas of {@link GitOptions}. */
export const gitOptionSchemas: Readonly<Record<string, JsonSchema>> = {
  root: {
    type: 'string',
    minLength: 1,
    description: 'Folder that the repositories are in. Default: the workspace of the agent; without one a call fails.',
  },
  identity: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, pattern: '^[^\\n\\r\\0<>]+$' },
      email: { type: 'string', minLength: 1, pattern: '^[^\\n\\r\\0<>]+$' },
    },
    required: ['name', 'email'],
    additionalProperties: false,
    description: 'Author and committer of commits. Default: those of the repository.',
  },
  hooks: {
    type: 'boolean',
    default: false,
    description: 'Runs the hooks of a repository: programs that are in its data.',
  },
  protocols: {
    type: 'array',
    items: { enum: ['https', 'ssh', 'file'] },
    uniqueItems: true,
    default: ['https', 'ssh'],
    description: 'Transports for clone, fetch and push. `file` reaches repositories inside the workspace.',
  },
  hosts: {
    type: 'array',
    items: { type: 'string', minLength: 1 },
    description: 'Hosts for clone, fetch and push. Default: all.',
  },
  allowPrivateAddresses: {
    type: 'boolean',
    default: false,
    description: 'Allows hosts with addresses of this machine and of private networks.',
  },
  credentials: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: { username: { type: 'string', minLength: 1 }, password: { type: 'string', minLength: 1 } },
      required: ['username', 'password'],
      additionalProperties: false,
    },
    description:
      'Credentials for HTTPS by host, for example { "github.com": { "username": "x", "password": { "$env": "TOKEN" } } }.',
  },
  transferTimeoutMs: {
    type: 'integer',
    minimum: 1000,
    maximum: 86_400_000,
    default: 600_000,
    description: 'Milliseconds of one git_clone or git_fetch, in place of callTimeoutMs.',
  },
  environment: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Environment variables for git, such as SSH_AUTH_SOCK or HTTPS_PROXY.',
  },
  privateFolder: {
    type: 'string',
    minLength: 1,
    description:
      'Folder outside of the workspace for private copies of the data of repositories, and for clones until they are complete. Default: that of the system for temporary files.',
  },
};
