import { sessionBlobs, storedTextOf } from '@ravi/invoker';
import type { InvokerSession, ToolCall, ToolInvoker } from '@ravi/invoker';
import { adviceOn } from '@ravi/agents';
import { isKernelError } from '@ravi/kernel';
import type { BlobReader, BridgeCall, ChainFile, ChainPolicy, InvocationError, InvocationResult } from '@ravi/kernel';
import { jsonTextProblem } from '@ravi/support';
import { createScriptDiscovery } from '../discovery/script-discovery.ts';
import { createOutputFiles, findFile } from './output-files.ts';
import { readArtifact } from './read-artifact.ts';

// Longer than any tool name, so that a cut name never matches a tool.
const maxNameLength = 128;

/** Makes one tool call of a script. `request` is the text in which the script requested it. */
export type InvokeTool = (call: Pick<ToolCall, 'name' | 'args'>, request: string) => Promise<InvocationResult>;

/** The host side of a script's calls. */
export interface ChainBridge {
  /** Returns the reply to one call of the guest. Everything in the call is hostile until checked. */
  reply(call: BridgeCall, invoke?: InvokeTool): Promise<string>;
  /** Files that the script has written so far. */
  readonly files: readonly ChainFile[];
  /** Adds the file that an earlier attempt of the run put, from its recorded reply. */
  restoreFile(file: string): void;
  /** Resolves when no call is in flight. */
  settled(): Promise<void>;
}

/** Creates the bridge of one script, whose calls pass the invoker as calls of `session`. */
export function createChainBridge(invoker: ToolInvoker, session: InvokerSession): ChainBridge {
  const blobs = sessionBlobs(session, invoker.artifactStore);
  const { policy } = session;
  const discovery = createScriptDiscovery(invoker.registry, session, (tool) => adviceOn(tool, session));
  const files = createOutputFiles(session, invoker.artifactStore);
  let underWay = 0;
  let onSettled: () => void = () => undefined;

  const invokeNow: InvokeTool = (call) => invoker.invoke(call, { session, caller: 'chain' });

  // Arguments that are not JSON, or too large to parse, stay text: the gate that checks arguments refuses and records them.
  function toolCall(name: string, args: string): Pick<ToolCall, 'name' | 'args'> {
    return { name, args: args.length > policy.maxArgumentBytes ? { args } : parseOr(args) };
  }

  async function ask(name: string, args: string): Promise<string> {
    try {
      const found = await discovery.ask(name, args);
      return typeof found === 'string' ? `t${found}` : `j${JSON.stringify(found)}`;
    } catch (error) {
      if (!isKernelError(error)) throw error;
      return failureReply('error', { code: error.code, message: error.message, retryable: false });
    }
  }

  async function reply({ op, payload }: BridgeCall, invoke: InvokeTool): Promise<string> {
    if (op === 'read-text') return readArtifact(blobs, payload, 'text');
    if (op === 'read-bytes') return readArtifact(blobs, payload, 'base64');
    if (op === 'store-file') return files.add(payload);
    if (op === 'put') return files.put(payload);
    if (op === 'file') return findFile(session.files, payload);
    if (op !== 'call' && op !== 'safe' && op !== 'ask')
      throw new Error('The script called the host with an unknown operation');
    const { name, args } = readCall(payload);
    if (op === 'ask' || (op === 'call' && discovery.handles(name))) return ask(name, args);
    const result = await invoke(toolCall(name, args), payload);
    if (op === 'call') return replyOf(result, blobs, policy);
    const value = result.status === 'ok' ? await replyOf(result, blobs, policy) : '';
    return `${JSON.stringify(result)}\n${value}`;
  }

  return {
    files: files.all,
    restoreFile: (file) => files.restore(file),
    async reply(call, invoke = invokeNow) {
      underWay++;
      try {
        return await reply(call, invoke);
      } finally {
        if (--underWay === 0) onSettled();
      }
    },
    async settled() {
      if (underWay > 0) await new Promise<void>((resolve) => (onSettled = resolve));
    },
  };
}

function readCall(payload: string): { readonly name: string; readonly args: string } {
  const end = payload.indexOf('\n');
  const name = payload.slice(0, Math.min(end === -1 ? payload.length : end, maxNameLength));
  return { name, args: end === -1 ? '' : payload.slice(end + 1) };
}

function parseOr(text: string): unknown {
  if (jsonTextProblem(text) !== undefined) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

type ReplyLimits = Pick<ChainPolicy, 'maxScriptResultBytes' | 'maxCallOutputBytes'>;

/**
 * Encodes the result of a call as text for the script. The first character is its kind: `j` JSON, `t` text, `a` a handle
 * of a stored result, `f` text with files, `m` files on a line of their own before another value, `e` a failure. A stored
 * result of up to `maxScriptResultBytes` is sent as its value, unchanged.
 */
async function replyOf(result: InvocationResult, blobs: BlobReader, limits: ReplyLimits): Promise<string> {
  if (result.error !== undefined) return failureReply(result.status, result.error);
  const reply = await valueReply(result, blobs, limits.maxScriptResultBytes);
  const { maxCallOutputBytes } = limits;
  // Without the kind, and counted only if it may exceed the limit: a UTF-16 unit takes at most three bytes.
  const bytes = reply.length * 3 > maxCallOutputBytes ? Buffer.byteLength(reply) - 1 : 0;
  if (bytes <= maxCallOutputBytes) return reply;
  const message = `The result of the call takes ${bytes} bytes; the limit maxCallOutputBytes is ${maxCallOutputBytes}`;
  return failureReply('error', { code: 'E_LIMIT_CALL_OUTPUT', message, retryable: false });
}

async function valueReply(result: InvocationResult, blobs: BlobReader, maxValueBytes: number): Promise<string> {
  const { structured, artifactRef, files, text } = result;
  const before = files.length === 0 ? '' : `m${JSON.stringify(files)}\n`;
  if (structured !== undefined) return `${before}j${JSON.stringify(structured)}`;
  if (artifactRef !== undefined)
    return before + (keptText(result, maxValueBytes) ?? (await storedReply(artifactRef, blobs, maxValueBytes)));
  return files.length === 0 ? `t${text}` : `f${JSON.stringify({ text, files })}`;
}

// A result that was just stored is still in memory.
function keptText(result: InvocationResult, maxValueBytes: number): string | undefined {
  const stored = storedTextOf(result);
  if (stored === undefined || stored.bytes > maxValueBytes) return undefined;
  return (stored.mediaType === 'application/json' ? 'j' : 't') + stored.text;
}

async function storedReply(ref: string, blobs: BlobReader, maxValueBytes: number): Promise<string> {
  try {
    const stat = await blobs.stat(ref);
    const mediaType = stat?.mediaType ?? 'application/octet-stream';
    const kind = mediaType === 'application/json' ? 'j' : mediaType.startsWith('text/') ? 't' : undefined;
    if (stat === undefined || kind === undefined || stat.bytes > maxValueBytes) {
      return `a${JSON.stringify({ ref, mediaType, bytes: stat?.bytes ?? 0 })}`;
    }
    return kind + Buffer.from(await blobs.resolve(ref)).toString('utf8');
  } catch (error) {
    const code = isKernelError(error) ? error.code : 'E_BLOB_UNAVAILABLE';
    return failureReply('error', { code, message: 'The stored result of the call cannot be read', retryable: false });
  }
}

function failureReply(status: InvocationResult['status'], error: InvocationError): string {
  const { code, message, retryable, retryAfterMs } = error;
  return `e${JSON.stringify({ status, code, message, retryable, retryAfterMs })}`;
}
