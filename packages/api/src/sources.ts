import { empty, json, operation } from './operation.ts';
import { page } from './page.ts';
import { array, boolean, enumOf, object, strictObject, string } from './schema.ts';
import type { ValueOf } from './schema.ts';
import { risk, timestamp } from './values.ts';

const heldState = enumOf(['new', 'changed', 'rejected', 'unknown'], {
  description:
    'new: the source offers it since its first list was accepted; changed: it differs from the accepted definition; rejected: a person refused it; unknown: it could not be compared, because the state store is not available.',
});

/** A tool of a source. */
const sourceToolSchema = object({ name: string(), description: string() }, { risk, held: heldState });

/** A source of tools, such as an MCP server. */
export const sourceSchema = object(
  {
    name: string(),
    isRemote: boolean({ description: 'True if another program runs its tools.' }),
    state: enumOf(['connecting', 'ready', 'failed', 'sign-in'], {
      description: 'sign-in: callers have to sign in before they can call its tools.',
    }),
    tools: array(sourceToolSchema, { description: 'The tools that are offered, and those that are held.' }),
  },
  {
    place: string({
      description:
        'Address of its program, or its command with the first arguments; values that look like secrets are left out.',
    }),
    program: object({ name: string(), version: string() }),
    protocol: string(),
    isTrusted: boolean({ description: 'True if hints of the source lower the risk of its tools.' }),
    holdsChanges: boolean({ description: 'True if changed definitions are held until a person accepts them.' }),
    acceptsNewTools: boolean({ description: 'True if tools that appear later are offered without a person.' }),
    signIn: object({ isSignedIn: boolean({ description: 'True if the caller has signed in.' }) }),
    message: string({ description: 'Reason of a failure. Only for callers with the role "approve" or "admin".' }),
    failures: array(object({ from: string(), message: string() }), {
      description: 'What could not be loaded. Only for callers with the role "approve" or "admin".',
    }),
  },
);

/** A source of tools. */
export type SourceSummary = ValueOf<typeof sourceSchema>;

/** One difference between two definitions. */
export const definitionChangeSchema = object(
  { path: string({ description: 'Place in the definition, a JSON pointer: "/description".' }) },
  {
    before: string({ description: 'Value as text, hidden characters escaped. Absent if the definition gained it.' }),
    after: string({ description: 'Value as text, hidden characters escaped. Absent if the definition lost it.' }),
  },
);

/** One difference between two definitions. */
export type DefinitionChange = ValueOf<typeof definitionChangeSchema>;

/** A held definition of a tool, with its differences to the accepted one. */
export const heldDefinitionSchema = object(
  {
    source: string(),
    tool: string(),
    state: heldState,
    digest: string({ description: 'SHA-256 of the definition; a decision names it.' }),
    changes: array(definitionChangeSchema, { description: 'Every difference.' }),
  },
  {
    acceptedAt: timestamp,
    acceptedBy: string({ description: 'Absent if the accepted definition was the first one.' }),
    rejectedAt: timestamp,
    rejectedBy: string(),
  },
);

/** A held definition of a tool. */
export type HeldDefinition = ValueOf<typeof heldDefinitionSchema>;

const unknownSource = 'E_SOURCE_UNKNOWN';

/** Operations on sources of tools. */
export const sources = {
  list: operation({
    method: 'get',
    path: '/v1/sources',
    summary: 'List the sources of tools, with their state and tools.',
    responses: { 200: json(page(sourceSchema)) },
    errors: ['E_STATE_UNAVAILABLE'],
  }),
  reconnect: operation({
    method: 'post',
    path: '/v1/sources/{name}/reconnect',
    summary: 'Connect to a source again.',
    role: 'admin',
    responses: { 200: json(sourceSchema) },
    errors: [unknownSource, 'E_STATE_UNAVAILABLE'],
  }),
  held: operation({
    method: 'get',
    path: '/v1/sources/{name}/held',
    summary: 'List the definitions of a source that are new or differ from the accepted ones.',
    role: 'approve',
    responses: { 200: json(page(heldDefinitionSchema)) },
    errors: [unknownSource],
  }),
  decide: operation({
    method: 'post',
    path: '/v1/sources/{name}/held',
    summary: 'Accept or reject a held definition.',
    role: 'approve',
    endsWork: true,
    body: strictObject({
      tool: string({ minLength: 1, maxLength: 200 }),
      digest: string({ minLength: 1, maxLength: 100, description: 'Digest of the definition that the person saw.' }),
      decision: enumOf(['accept', 'reject']),
    }),
    responses: { 200: json(sourceSchema) },
    errors: [unknownSource, 'E_TOOL_UNKNOWN', 'E_STATE_CONFLICT', 'E_STATE_UNAVAILABLE'],
  }),
  signIn: operation({
    method: 'post',
    path: '/v1/sources/{name}/sign-in',
    summary: 'Begin to sign in at a source; the caller opens the returned address.',
    role: 'run',
    responses: { 200: json(object({ url: string() })) },
    errors: [unknownSource, 'E_UNSUPPORTED', 'E_SOURCE_UNAVAILABLE', 'E_STATE_UNAVAILABLE'],
  }),
  completeSignIn: operation({
    method: 'post',
    path: '/v1/sources/callback',
    summary: 'Complete a sign-in with the query that the browser brought back. Only the caller that began it can.',
    role: 'run',
    body: strictObject({ query: string({ maxLength: 20_000, description: 'Query of the address, without "?".' }) }),
    responses: { 200: json(object({ source: string() })) },
    errors: ['E_SOURCE_UNAVAILABLE', 'E_STATE_UNAVAILABLE'],
  }),
  signOut: operation({
    method: 'delete',
    path: '/v1/sources/{name}/sign-in',
    summary: 'Forget the credentials of the caller at a source.',
    role: 'run',
    responses: { 204: empty },
    errors: [unknownSource, 'E_UNSUPPORTED', 'E_STATE_UNAVAILABLE'],
  }),
} as const;
