import { sessionBlobs } from '@ravi/invoker';
import type { InvokerSession, ToolCall, ToolInvoker } from '@ravi/invoker';
import { isKernelError } from '@ravi/kernel';
import type { BridgeCall, ChainFile, InvocationResult } from '@ravi/kernel';
import { createScriptDiscovery } from '../discovery/script-discovery.ts';
import { answerOf, failureAnswer } from './answer.ts';
import { findFile } from './find-file.ts';
import { createOutputFiles } from './output-files.ts';
import { readArtifact } from './read-artifact.ts';

// Longer than any tool's name, so that a cut name is no tool's name.
const maxNameLength = 128;

/** Makes one tool call of a script; `request` is the text that asked for it. */
export type InvokeTool = (call: Pick<ToolCall, 'name' | 'args'>, request: string) => Promise<InvocationResult>;

/** The host's end of a script's calls. */
export interface ChainBridge {
  /** Answers one call of the guest; everything in it is hostile until checked. */
  answer(call: BridgeCall, invoke?: InvokeTool): Promise<string>;
  /** What the script has left so far. */
  readonly files: readonly ChainFile[];
  /** Resolves when no call is under way any more. */
  settled(): Promise<void>;
}

/** Takes a script's calls through the invoker, as calls of `session`. */
export function createChainBridge(invoker: ToolInvoker, session: InvokerSession): ChainBridge {
  const blobs = sessionBlobs(session, invoker.artifactStore);
  const { policy } = session;
  const discovery = createScriptDiscovery(invoker.registry, session);
  const files = createOutputFiles(session, invoker.artifactStore);
  let underWay = 0;
  let onSettled: () => void = () => undefined;

  const invokeNow: InvokeTool = (call) => invoker.invoke(call, { session, caller: 'chain' });

  // What is no JSON stays text, and what is too large to be parsed goes along as one: the gate that judges arguments
  // refuses either, on record.
  function toolCall(name: string, args: string): Pick<ToolCall, 'name' | 'args'> {
    return { name, args: args.length > policy.maxArgumentBytes ? { args } : parseOr(args) };
  }

  async function ask(name: string, args: string): Promise<string> {
    try {
      const found = await discovery.ask(name, args);
      return typeof found === 'string' ? `t${found}` : `j${JSON.stringify(found)}`;
    } catch (error) {
      if (!isKernelError(error)) throw error;
      return failureAnswer('error', { code: error.code, message: error.message, retryable: false });
    }
  }

  async function answer({ op, payload }: BridgeCall, invoke: InvokeTool): Promise<string> {
    if (op === 'read-text') return readArtifact(blobs, payload, 'text');
    if (op === 'read-bytes') return readArtifact(blobs, payload, 'base64');
    if (op === 'store-file') return files.keep(payload);
    if (op === 'file') return findFile(session.files, payload);
    if (op !== 'call' && op !== 'safe' && op !== 'ask') throw new Error('The script called the host in an unknown way');
    const { name, args } = readCall(payload);
    if (op === 'ask' || (op === 'call' && discovery.answers(name))) return ask(name, args);
    const result = await invoke(toolCall(name, args), payload);
    if (op === 'call') return answerOf(result, blobs, policy);
    const value = result.status === 'ok' ? await answerOf(result, blobs, policy) : '';
    return `${JSON.stringify(result)}\n${value}`;
  }

  return {
    files: files.all,
    async answer(call, invoke = invokeNow) {
      underWay++;
      try {
        return await answer(call, invoke);
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
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
