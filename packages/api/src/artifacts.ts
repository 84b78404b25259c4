import type { BlobScope, BlobStat } from '@ravi/kernel';
import { empty, json, operation, raw } from './operation.ts';
import { page, pageQuery } from './page.ts';
import { described, extend, integer, object, sameAs, strictObject, string } from './schema.ts';
import type { ValueOf } from './schema.ts';
import { count, requestId, timestamp } from './values.ts';

const scopeSchema = sameAs<BlobScope>()(object({ principal: string(), sessionId: string() }));

const blobStatSchema = sameAs<BlobStat>()(
  object(
    {
      ref: string(),
      mediaType: string(),
      bytes: count,
      sha256: string({ pattern: '^[0-9a-f]{64}$' }),
      scope: scopeSchema,
      createdAt: timestamp,
      pins: integer({ minimum: 0, description: 'Owners that pin it.' }),
    },
    {
      expiresAt: timestamp,
      name: string({ description: 'Name that its creator chose, which may be unsafe as the name of a file.' }),
      tool: string({ description: 'Tool whose call made it; absent for artifacts of scripts, models and uploads.' }),
      runId: string({ description: 'Run in which it was made.' }),
    },
  ),
);

/** Metadata of an artifact. */
export const artifactSchema = extend(
  blobStatSchema,
  { fileName: string({ description: 'Name of a download: safe on every common system.' }) },
  {
    damagedAt: described(
      timestamp,
      'A read found since the start of the server that the content does not match its checksum.',
    ),
  },
);

/** Metadata of an artifact. */
export type Artifact = ValueOf<typeof artifactSchema>;

/** Operations on stored results of tools and scripts. */
export const artifacts = {
  list: operation({
    method: 'get',
    path: '/v1/artifacts',
    summary: 'List the artifacts of a run and its sub-agents, or of the newest runs.',
    query: strictObject({}, { ...pageQuery, runId: requestId }),
    responses: { 200: json(page(artifactSchema)) },
    errors: ['E_RUN_NOT_FOUND', 'E_STATE_UNAVAILABLE'],
  }),
  upload: operation({
    method: 'post',
    path: '/v1/artifacts',
    summary:
      'Store the body as an artifact of the type that Content-Type says. The runs and tool calls of its session can use it until it expires.',
    role: 'run',
    query: strictObject(
      {},
      {
        name: string({ minLength: 1, maxLength: 1_000, description: 'Name of the file.' }),
        sessionId: described(requestId, 'Session whose runs and tool calls can use the artifact. Default: a new one.'),
      },
    ),
    takesContent: true,
    responses: { 201: json(artifactSchema) },
    errors: ['E_ARTIFACT_QUOTA', 'E_BODY_TOO_LARGE', 'E_CONTENT_TYPE'],
  }),
  get: operation({
    method: 'get',
    path: '/v1/artifacts/{ref}',
    summary: 'Get the metadata of an artifact.',
    responses: { 200: json(artifactSchema) },
    errors: ['E_ARTIFACT_UNKNOWN'],
  }),
  content: operation({
    method: 'get',
    path: '/v1/artifacts/{ref}/content',
    summary: 'Get the content of an artifact, or the range that the Range header asks for.',
    responses: { 200: raw('*/*'), 206: raw('*/*') },
    errors: ['E_ARTIFACT_UNKNOWN', 'E_RANGE_INVALID'],
  }),
  delete: operation({
    method: 'delete',
    path: '/v1/artifacts/{ref}',
    summary: 'Delete an artifact, even if something still refers to it.',
    role: 'run',
    endsWork: true,
    responses: { 204: empty },
    errors: ['E_ARTIFACT_UNKNOWN'],
  }),
} as const;
