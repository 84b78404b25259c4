import { empty, json, operation } from './operation.ts';
import { array, boolean, enumOf, object, strictObject, string } from './schema.ts';
import type { ValueOf } from './schema.ts';

/** The caller of a request. */
export const callerIdentitySchema = object(
  {
    principal: string(),
    roles: array(enumOf(['run', 'approve', 'admin'])),
    isSignedIn: boolean({ description: 'True if the cookie of a sign-in names the caller, so that it can sign out.' }),
  },
  { toolRole: string({ description: 'Role that says which tools the caller may call.' }) },
);

/** The caller of a request: its principal and roles. */
export type CallerIdentity = ValueOf<typeof callerIdentitySchema>;

const path = '/v1/session';

/** Operations that sign a browser in and out. */
export const login = {
  signIn: operation({
    method: 'post',
    path,
    summary: 'Sign in with a token; sets a cookie.',
    isOpen: true,
    body: strictObject({ token: string({ maxLength: 1_000 }) }),
    responses: { 200: json(callerIdentitySchema) },
    errors: ['E_UNAUTHENTICATED', 'E_RATE_LIMITED'],
  }),
  get: operation({
    method: 'get',
    path,
    summary: 'Get the principal and roles of the caller.',
    responses: { 200: json(callerIdentitySchema) },
    errors: [],
  }),
  signOut: operation({
    method: 'delete',
    path,
    summary: 'Sign out; clears the cookie.',
    isOpen: true,
    responses: { 204: empty },
    errors: [],
  }),
} as const;
