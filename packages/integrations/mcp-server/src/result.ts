import type { CallToolResult, ContentBlock, ResourceLink } from '@modelcontextprotocol/server';
import type { ApprovalView, ChainResult } from '@ravi/api';
import type { JsonObject, JsonValue } from '@ravi/kernel';
import { cutUtf8, utf8Length } from '@ravi/support';
import type { McpGateway } from './gateway.ts';
import { artifactUri, resultUri } from './uris.ts';

/** Addresses and names that a result mentions. */
export type PausedOptions = Pick<McpGateway, 'inboxUrl'> & {
  /** Name of the tool that resumes a run. */
  readonly resumeTool: string;
  /** Reason of the pause as a sentence, if no person has to decide. */
  readonly reason?: string;
};

const maxLinks = 50;

/** Returns a result that is one text. */
export function textResult(text: string, isError = false): CallToolResult {
  return { content: [{ type: 'text', text }], ...(isError ? { isError } : {}) };
}

/** Returns the result of a script that has ended: its text, or the first `inlineBytes` of it, and links to everything else. */
export function endedResult(result: ChainResult, inlineBytes: number): CallToolResult {
  const { status, outputText, runId, whole, files = [], value } = result;
  const links: ResourceLink[] = [];
  const text = shownText(outputText, inlineBytes, () => {
    if (runId === undefined) return '';
    const link = resultLink(runId, outputText);
    links.push(link);
    return ` Read ${link.uri} for the rest.`;
  });
  if (whole !== undefined) {
    const { artifactRef: ref, bytes } = whole;
    links.push(linkTo(ref, { name: 'whole result', mimeType: 'application/json', size: bytes }));
  }
  for (const { artifactRef: ref, name, path, mediaType, bytes } of files) {
    links.push(linkTo(ref, { name: name ?? path, mimeType: mediaType, size: bytes }));
  }
  const known = new Set(links.map(({ uri }) => uri));
  for (const ref of refsIn(value)) if (!known.has(artifactUri(ref))) links.push(linkTo(ref, { name: ref }));
  const content: ContentBlock[] = [{ type: 'text', text }, ...links.slice(0, maxLinks)];
  return { content, ...(status === 'ok' ? {} : { isError: true }), ...metaOf(runId, status) };
}

/** Returns the result of a run that waits for people: how to decide, and how to get its result. */
export function pausedResult(
  runId: string,
  pending: readonly ApprovalView[],
  { inboxUrl, resumeTool, reason = 'The run is paused.' }: PausedOptions,
): CallToolResult {
  const waiting = pending.map(({ id, tool, risk }) => `- ${tool} (risk ${risk}), approval ${id}`).join('\n');
  const how =
    inboxUrl === undefined
      ? 'A person decides it in the folder of the configuration, with "ravi approvals approve <approval>" or in the inbox of "ravi serve".'
      : `A person decides it in the inbox: ${inboxUrl}`;
  const text =
    pending.length === 0
      ? `${reason} Call ${resumeTool} with run_id "${runId}" later for the result. Do not start it again: its finished calls are kept.`
      : `The run is paused: it waits for approval of\n${waiting}\n\n${how}\n` +
        `Then call ${resumeTool} with run_id "${runId}" for the result. Do not start it again: its finished calls are kept.`;
  const approvals = pending.map(({ id, tool, risk }) => ({ id, tool, risk }));
  const structuredContent: JsonObject = {
    status: 'paused',
    runId,
    approvals,
    ...(inboxUrl === undefined ? {} : { inbox: inboxUrl }),
  };
  return { content: [{ type: 'text', text }], structuredContent: { ...structuredContent }, ...metaOf(runId, 'paused') };
}

/** Returns text up to `maxBytes`; a longer one is cut and ends with a note that `more` completes. */
export function shownText(text: string, maxBytes: number, more: () => string): string {
  const bytes = utf8Length(text);
  if (bytes <= maxBytes) return text;
  return `${cutUtf8(text, maxBytes)}\n\nNote: the result was cut; it has ${bytes} bytes in all.${more()}`;
}

/** Returns a link to the whole text of a result. */
export function resultLink(runId: string, text: string): ResourceLink {
  const size = utf8Length(text);
  return { type: 'resource_link', uri: resultUri(runId), name: 'result', mimeType: 'text/plain', size };
}

/** Returns a link to an artifact. */
export function linkTo(
  ref: string,
  { name, mimeType, size }: { name: string; mimeType?: string; size?: number },
): ResourceLink {
  return {
    type: 'resource_link',
    uri: artifactUri(ref),
    name,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(size === undefined ? {} : { size }),
  };
}

/** Returns the refs of the artifacts that a value names as `{ "$artifact": ref }`. */
export function refsIn(value: JsonValue | undefined): ReadonlySet<string> {
  const refs = new Set<string>();
  const open: (JsonValue | undefined)[] = [value];
  while (open.length > 0 && refs.size < maxLinks) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const { $artifact: ref } = next as { readonly $artifact?: JsonValue };
    if (typeof ref === 'string') refs.add(ref);
    for (const inner of Object.values(next)) open.push(inner);
  }
  return refs;
}

/** Returns the run of a result, for programs. */
export function metaOf(runId: string | undefined, status: string): { readonly _meta?: Record<string, unknown> } {
  return runId === undefined ? {} : { _meta: { 'ravi/runId': runId, 'ravi/status': status } };
}
