import { constants } from 'node:http2';
import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { Readable, pipeline } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { Clock, SandboxOutcome } from '@ravi/kernel';
import { KernelError } from '@ravi/kernel';
import { createBridgeReplies, createConsoleLines, recordCodec } from '@ravi/sandbox-kit';
import type { BoundedRequest } from '@ravi/sandbox-kit';
import { headerNames, nodeRecords, paths, readOutcome, startRecord } from '../protocol/messages.ts';
import { openRecordStream } from '../protocol/record-stream.ts';
import type { SendBudget } from '../protocol/send-budget.ts';
import { createHumanWaitReports } from './human-wait-reports.ts';
import type { HumanWaitReports } from './human-wait-reports.ts';
import type { NodePlace } from './node-connection.ts';

/**
 * Result of a run on one node. A run that was refused has not begun, and one that was lost had no effect, because the node had not
 * accepted it: another node may take either.
 */
export type Attempt =
  | { readonly status: 'ended'; readonly outcome: SandboxOutcome }
  | { readonly status: 'refused' | 'lost'; readonly reason: string };

/**
 * Runs a script on the node of `place`. The node runs hostile code, so every record of it is checked against the limits of the run, and
 * one that is out of place ends the run.
 * @throws KernelError `E_UNSUPPORTED` if the sandbox of the node does not support the request
 */
export function runOnNode(
  request: BoundedRequest,
  place: NodePlace,
  { address, budget, clock }: { readonly address: string; readonly budget: SendBudget; readonly clock: Clock },
): Promise<Attempt> {
  const { limits, signal } = request;
  const { promise, resolve, reject } = Promise.withResolvers<Attempt>();
  const startedAt = performance.now();
  let stream: ClientHttp2Stream;
  try {
    stream = place.session.request({ ':method': 'POST', ':path': paths.runs });
  } catch {
    // It has been closed, and its owner learns of that next.
    place.refuse('has closed the connection');
    place[Symbol.dispose]();
    return Promise.resolve({ status: 'lost', reason: 'has closed the connection' });
  }
  const records = openRecordStream({ stream, kinds: nodeRecords, budget, onRecord: take, onClose });
  const replies = createBridgeReplies(request, (text) => {
    humanWait?.look();
    records.send(text);
  });
  const startMs = request.humanWaitMs?.();
  const humanWait = humanWaitReports(startMs);
  let runId: string | undefined;
  let refusal: string | undefined;
  let calls = 0;
  const consoleLines = createConsoleLines(request);
  let hasEnded = false;

  signal?.addEventListener('abort', abort, { once: true });
  stream.once('response', readHead);
  records.send(
    startRecord(
      {
        language: request.language,
        principal: request.principal,
        limits,
        files: (request.files ?? []).map(({ path, bytes }) => ({ path, bytes })),
        marksTurns: request.onTurnEnd !== undefined,
        ...(startMs === undefined ? {} : { humanWaitMs: startMs }),
      },
      request.prelude,
      request.code,
    ),
  );
  return promise;

  function humanWaitReports(knownMs: number | undefined): HumanWaitReports | undefined {
    const { humanWaitMs } = request;
    if (humanWaitMs === undefined || knownMs === undefined) return undefined;
    return createHumanWaitReports({
      humanWaitMs: () => humanWaitMs(),
      startMs: knownMs,
      hasOpenCalls: () => replies.inFlight > 0,
      report: (ms, isGrowing) => records.send(recordCodec.encode('h', String(ms), isGrowing ? '1' : '0')),
      clock,
    });
  }

  function readHead(headers: IncomingHttpHeaders & { readonly ':status'?: number }): void {
    if (headers[':status'] === 200) {
      runId = String(headers[headerNames.run]);
      return;
    }
    const reason = String(headers[headerNames.reason] ?? `replied with status ${headers[':status']}`);
    refusal = `refused the run: ${reason}`;
    if (reason === 'draining') place.refuse('is shutting down');
    records.cancel();
  }

  function take(kind: string, [first = '', second = '', third = '']: readonly string[]): string | undefined {
    if (hasEnded) return undefined;
    switch (kind) {
      case 'c':
        return takeCall(first, second, third);
      case 'l':
        return consoleLines.take(first, second);
      case 't':
        // Not if the guest has handled fewer replies than were sent: it will end another turn after them.
        if (Number(first) === calls - replies.inFlight) request.onTurnEnd?.();
        return undefined;
      case 'o':
        return takeFileRequest(Number(first));
      case 'e':
        return takeEnd(first, second);
      default:
        return takeRefusal(first, second);
    }
  }

  function takeCall(id: string, op: string, payload: string): string | undefined {
    if (id !== String(++calls)) return 'sent a call out of order';
    if (calls > limits.maxCalls || replies.inFlight >= limits.maxInFlight) return 'sent more calls than it may';
    replies.start(id, { op, payload });
    humanWait?.look();
    return undefined;
  }

  function takeFileRequest(index: number): string | undefined {
    const file = request.files?.[index];
    if (file === undefined || runId === undefined) return 'asked for a file that the run does not have';
    const fail = (): void => records.send(recordCodec.encode('n', String(index)));
    const { session } = place;
    file
      .open()
      .then((content) => {
        const upload = session.request({ ':method': 'POST', ':path': `${paths.files}${runId}/${index}` });
        upload.resume();
        pipeline(Readable.fromWeb(content as NodeReadableStream), upload, (error) => {
          // The node sees a stream that breaks off.
          if (error != null) upload.close(constants.NGHTTP2_CANCEL);
        });
      })
      .catch(fail);
    return undefined;
  }

  function takeEnd(text: string, value: string): string | undefined {
    const outcome = readOutcome(text, value, limits);
    if (outcome === undefined) return 'sent an outcome that cannot be read';
    end(() => resolve({ status: 'ended', outcome }));
    records.end();
    return undefined;
  }

  function takeRefusal(code: string, message: string): undefined {
    end(() => {
      if (code === 'E_UNSUPPORTED') reject(new KernelError('E_UNSUPPORTED', message));
      else resolve({ status: 'refused', reason: `refused the run: ${message}` });
    });
    records.end();
  }

  function abort(): void {
    end(() => resolve({ status: 'ended', outcome: { status: 'cancelled', ...figures() } }));
    records.cancel();
  }

  function onClose(violation: string | undefined): void {
    const cause = violation ?? closeReason(stream.rstCode);
    end(() => {
      if (refusal !== undefined) return resolve({ status: 'refused', reason: refusal });
      if (runId === undefined) {
        if (place.session.destroyed) place.refuse('has closed the connection');
        return resolve({ status: 'lost', reason: cause });
      }
      const message = `The sandbox node ${address} ${cause}`;
      resolve({ status: 'ended', outcome: { status: 'crashed', message, ...figures() } });
    });
  }

  function figures(): Pick<SandboxOutcome, 'durationMs' | 'consoleDroppedBytes'> {
    return { durationMs: performance.now() - startedAt, consoleDroppedBytes: 0 };
  }

  function end(settle: () => void): void {
    if (hasEnded) return;
    hasEnded = true;
    signal?.removeEventListener('abort', abort);
    humanWait?.stop();
    replies.close();
    place[Symbol.dispose]();
    settle();
  }
}

function closeReason(code: number | undefined): string {
  if (code === constants.NGHTTP2_ENHANCE_YOUR_CALM) return 'ended the run: this server read too slowly';
  if (code === constants.NGHTTP2_PROTOCOL_ERROR) return 'ended the run: it did not understand this server';
  return 'was lost during the run';
}
