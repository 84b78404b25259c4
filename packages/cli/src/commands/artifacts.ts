import { constants, createWriteStream, openAsBlob } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { KernelError } from '@ravi/kernel';
import type { api, QueryOf } from '@ravi/api';
import { mediaTypeOf } from '@ravi/support';
import { connect } from '../connection/connect.ts';
import { inputOf } from '../connection/connection.ts';
import type { CommandBody } from '../command.ts';
import { printList } from '../render/table.ts';
import { showContent, visible } from '../render/visible.ts';
import { sizeText, timeText } from '../render/format.ts';

/** Lists the artifacts of a run, or of the newest runs. */
export const listArtifacts: CommandBody = async (invocation, terminal) => {
  const { run: runId, limit, cursor } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const page = await client.artifacts.list(inputOf<QueryOf<typeof api.artifacts.list>>({ runId, limit, cursor }));
  printList(page, invocation, terminal, ({ ref, fileName, bytes, mediaType, createdAt }) => [
    ref,
    visible(fileName),
    sizeText(bytes),
    visible(mediaType),
    timeText(createdAt),
  ]);
};

/** Writes the content of an artifact to a file, to a folder under its own name, or to standard output; with JSON, prints its metadata. */
export const getArtifact: CommandBody = async (invocation, terminal) => {
  const { artifact: ref = '', output } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const artifact = await client.artifacts.get(ref);
  if (invocation.isJson && output === undefined) return terminal.print(JSON.stringify(artifact));
  const { body } = await client.artifacts.content(ref);
  const content = Readable.fromWeb(body as NodeReadableStream<Uint8Array>);
  if (output === undefined) return showContent(content, process.stdout);
  const file = (await isFolder(resolve(terminal.cwd, output))) ? join(output, artifact.fileName) : output;
  await writeTo(resolve(terminal.cwd, file), content);
  terminal.print(
    invocation.isJson ? JSON.stringify({ ...artifact, file }) : `${visible(file)}: ${sizeText(artifact.bytes)}`,
  );
};

/** Stores a file as an artifact, as it is read, and prints its ref, size and checksum. */
export const putArtifact: CommandBody = async (invocation, terminal) => {
  const { file = '', session: sessionId } = invocation.values;
  const name = invocation.values['name'] ?? (file === '-' ? undefined : basename(file));
  const type = invocation.values['type'] ?? mediaTypeOf(name ?? '') ?? 'application/octet-stream';
  await using client = await connect(invocation, terminal);
  const content =
    file === '-'
      ? (Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>)
      : await fileAt(resolve(terminal.cwd, file));
  const input = inputOf<QueryOf<typeof api.artifacts.upload>>({ sessionId, name });
  const stored = await client.artifacts.upload(content, input, { headers: { 'content-type': type } });
  const { ref, bytes, sha256, scope } = stored;
  if (invocation.isJson) return terminal.print(JSON.stringify(stored));
  terminal.print(`${ref}: ${sizeText(bytes)}, SHA-256 ${sha256}, session ${visible(scope.sessionId)}`);
};

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

async function fileAt(path: string): Promise<Blob> {
  try {
    // Opening does not say why it fails.
    await access(path, constants.R_OK);
    return await openAsBlob(path);
  } catch (cause) {
    throw new KernelError('E_USAGE', `The file cannot be read: ${(cause as Error).message}`, { cause });
  }
}

async function writeTo(file: string, content: Readable): Promise<void> {
  try {
    // Never overwrites a file.
    await pipeline(content, createWriteStream(file, { flags: 'wx' }));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    throw new KernelError('E_USAGE', `The content was not written: ${message}`, { cause });
  }
}
