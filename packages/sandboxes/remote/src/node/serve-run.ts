import { randomUUID } from 'node:crypto';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { isKernelError } from '@ravi/kernel';
import type { BridgeCall, Logger, Sandbox, SandboxOutcome } from '@ravi/kernel';
import { createRecordOutbox, recordCodec } from '@ravi/sandbox-kit';
import { endRecord, headerNames, readDescription, serverRecords } from '../protocol/messages.ts';
import type { RunDescription } from '../protocol/messages.ts';
import { openRecordStream } from '../protocol/record-stream.ts';
import type { SendBudget } from '../protocol/send-budget.ts';
import { createFileRequests } from './file-requests.ts';
import type { FileRequests } from './file-requests.ts';

/** A run of a server on this node. */
export interface ServedRun {
  readonly id: string;
  readonly session: ServerHttp2Session;
  /** Takes the stream that the server sends a file over. */
  deliver(index: number, stream: ServerHttp2Stream): void;
  /** Ends the run at once. */
  cancel(): void;
  /** Resolves when its guest has ended. */
  readonly ended: Promise<void>;
}

/** Options of {@link serveRun}. */
export interface ServeRunOptions {
  readonly stream: ServerHttp2Stream;
  readonly session: ServerHttp2Session;
  /** Subject of the certificate of the server. Guests of two subjects never share a process. */
  readonly subject: string;
  readonly sandbox: Sandbox;
  readonly budget: SendBudget;
  readonly logger: Logger;
}

/** Runs what a server sends over `stream`. The run ends with the stream, also if the server just goes away. */
export function serveRun({ stream, session, subject, sandbox, budget, logger }: ServeRunOptions): ServedRun {
  const id = randomUUID();
  const { promise: ended, resolve: markEnded } = Promise.withResolvers<void>();
  const aborting = new AbortController();
  const calls = new Map<string, PromiseWithResolvers<string>>();
  const records = openRecordStream({ stream, kinds: serverRecords, budget, onRecord: take, onClose });
  const outbox = createRecordOutbox(records.send);
  let files: FileRequests | undefined;
  let humanWait = { ms: 0, isGrowing: false, at: 0 };
  let callCount = 0;
  let replyCount = 0;

  stream.respond({ ':status': 200, [headerNames.run]: id });
  return {
    id,
    session,
    ended,
    cancel: () => records.cancel(),
    deliver: (index, content) => files?.deliver(index, content),
  };

  function take(kind: string, fields: readonly string[]): string | undefined {
    const [first = '', second = '', third = '', fourth = ''] = fields;
    if (kind === 's') return start(first, second, third);
    if (files === undefined) return 'sent something before its script';
    if (kind === 'a') return reply(first)?.resolve(second) ?? undefined;
    if (kind === 'f') return reply(first)?.reject(callError(second, third, fourth)) ?? undefined;
    if (kind === 'n') return void files.fail(Number(first));
    const ms = Number(first);
    if (!(ms >= 0)) return 'sent a time that is not a number of milliseconds';
    humanWait = { ms, isGrowing: second === '1', at: performance.now() };
    return undefined;
  }

  // A reply to a call that has ended is late, not wrong.
  function reply(callId: string): PromiseWithResolvers<string> | undefined {
    const call = calls.get(callId);
    if (!calls.delete(callId)) return undefined;
    replyCount++;
    return call;
  }

  function start(text: string, prelude: string, code: string): string | undefined {
    if (files !== undefined) return 'sent a second script';
    const description = readDescription(text);
    if (description === undefined) return 'sent a description of a run that cannot be read';
    files = createFileRequests(description.files, (index) => outbox.add(recordCodec.encode('o', String(index))));
    humanWait = { ms: description.humanWaitMs ?? 0, isGrowing: false, at: performance.now() };
    // `end` handles every failure.
    void run(description, { prelude, code }, files);
    return undefined;
  }

  async function run(
    { language, principal, limits, marksTurns, ...description }: RunDescription,
    script: { readonly prelude: string; readonly code: string },
    { files: content }: FileRequests,
  ): Promise<void> {
    try {
      const outcome = await sandbox.run({
        ...script,
        language,
        limits,
        principal: JSON.stringify([subject, principal]),
        ...(content.length === 0 ? {} : { files: content }),
        bridge: call,
        onConsole: ({ level, text }) => outbox.add(recordCodec.encode('l', level, text)),
        ...(marksTurns ? { onTurnEnd: () => outbox.add(recordCodec.encode('t', String(replyCount))) } : {}),
        ...(description.humanWaitMs === undefined ? {} : { humanWaitMs }),
        signal: aborting.signal,
      });
      end(endRecord(outcome), outcome.status);
    } catch (error) {
      const code = isKernelError(error) ? error.code : 'E_SANDBOX_UNAVAILABLE';
      const message = error instanceof Error ? error.message : String(error);
      logger.warn('a run was refused by the sandbox', { run: id, code, reason: message });
      end(recordCodec.encode('x', code, message), 'refused');
    }
  }

  function call({ op, payload }: BridgeCall): Promise<string> {
    const callId = String(++callCount);
    const answered = Promise.withResolvers<string>();
    calls.set(callId, answered);
    outbox.add(recordCodec.encodeThree('c', callId, op, payload));
    return answered.promise;
  }

  function humanWaitMs(): number {
    return humanWait.ms + (humanWait.isGrowing ? performance.now() - humanWait.at : 0);
  }

  function end(record: string, status: SandboxOutcome['status'] | 'refused'): void {
    files?.close();
    calls.clear();
    outbox.add(record);
    // After the outbox has sent it, which is in the same queue.
    process.nextTick(() => records.end());
    logger.debug('run ended', { run: id, status });
    markEnded();
  }

  function onClose(reason: string | undefined): void {
    if (reason !== undefined) logger.warn('a run was ended', { run: id, reason });
    outbox.close();
    files?.close();
    aborting.abort();
    if (files === undefined) markEnded();
  }
}

function callError(name: string, message: string, code: string): Error {
  return Object.assign(new Error(message), { name }, code === '' ? {} : { code });
}
