import { sessionBlobs } from '@ravi/agents';
import type { InvokerSession, ToolInvoker } from '@ravi/agents';
import type { BridgeCall, InvocationResult } from '@ravi/kernel';
import { answerOf } from './answer.ts';
import { readArtifact } from './read-artifact.ts';

// Longer than any tool's name, so that a cut name is no tool's name.
const maxNameLength = 128;

/** The host's end of a script's calls. */
export interface ChainBridge {
  /** Answers one call of the guest; everything in it is hostile until checked. */
  answer(call: BridgeCall): Promise<string>;
  /** Resolves when no call is under way any more. */
  settled(): Promise<void>;
}

/** Takes a script's calls through the invoker, as calls of `session`. */
export function createChainBridge(invoker: ToolInvoker, session: InvokerSession): ChainBridge {
  const blobs = sessionBlobs(session, invoker.artifactStore);
  const { maxArgumentBytes, maxScriptResultBytes } = session.policy;
  let underWay = 0;
  let onSettled: () => void = () => undefined;

  async function invoke(payload: string): Promise<InvocationResult> {
    const end = payload.indexOf('\n');
    const name = payload.slice(0, Math.min(end === -1 ? payload.length : end, maxNameLength));
    const args = end === -1 ? '' : payload.slice(end + 1);
    // What is no JSON stays text, and what is too large to be parsed goes along as one: the gate that judges arguments
    // refuses either, on record.
    return invoker.invoke(
      { name, args: args.length > maxArgumentBytes ? { args } : parseOr(args) },
      { session, caller: 'chain' },
    );
  }

  async function answer({ op, payload }: BridgeCall): Promise<string> {
    if (op === 'read-text') return readArtifact(blobs, payload, 'text');
    if (op === 'read-bytes') return readArtifact(blobs, payload, 'base64');
    if (op !== 'call' && op !== 'safe') throw new Error('The script called the host in an unknown way');
    const result = await invoke(payload);
    if (op === 'call') return answerOf(result, blobs, maxScriptResultBytes);
    const value = result.status === 'ok' ? await answerOf(result, blobs, maxScriptResultBytes) : '';
    return `${JSON.stringify(result)}\n${value}`;
  }

  return {
    async answer(call) {
      underWay++;
      try {
        return await answer(call);
      } finally {
        if (--underWay === 0) onSettled();
      }
    },
    async settled() {
      if (underWay > 0) await new Promise<void>((resolve) => (onSettled = resolve));
    },
  };
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
