import { isKernelError } from '@ravi/kernel';
import type { ApprovalHandler, ApprovalRequest, ApprovalDecisionInput, JsonObject } from '@ravi/kernel';
import { answerChoices, parseAnswer } from './parse-answer.ts';
import { printable } from './terminal-text.ts';
import { renderAllArguments, renderRequest } from './render-request.ts';
import { isInteractive, openTerminal } from './terminal.ts';
import type { Terminal, TerminalInput, TerminalOutput } from './terminal.ts';

/** Options of {@link createCliApproval}. */
export interface CliApprovalOptions {
  /** Default `process.stdin`. */
  readonly input?: TerminalInput;
  /** Default `process.stderr`, so that standard output stays free for the program. */
  readonly output?: TerminalOutput;
}

const approver = 'terminal';
const maxPrefilledCharacters = 2_000;

/**
 * An approval handler that asks a person at the terminal, one question at a time. Without a terminal, on Ctrl-C and at
 * the end of the input the answer is no.
 */
export function createCliApproval({
  input = process.stdin,
  output = process.stderr,
}: CliApprovalOptions = {}): ApprovalHandler {
  let lastTurn: Promise<unknown> = Promise.resolve();

  async function takeTurn(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecisionInput> {
    if (signal.aborted) return withdrawn();
    if (!isInteractive(input, output))
      return { decision: 'denied', reason: 'No approver can be asked: there is no terminal' };
    using terminal = openTerminal(input, output, signal);
    const result = await ask(terminal, request);
    if (!signal.aborted) return result;
    terminal.print(isKernelError(signal.reason) ? signal.reason.message : 'The request was withdrawn.');
    return withdrawn();
  }

  return {
    async request(request, { signal }) {
      if (signal.aborted) return withdrawn();
      const turn = lastTurn.then(() => takeTurn(request, signal));
      lastTurn = turn.catch(() => undefined);
      return unlessAborted(turn, signal);
    },
  };
}

async function ask(terminal: Terminal, request: ApprovalRequest): Promise<ApprovalDecisionInput> {
  terminal.print(renderRequest(request, terminal.columns));
  terminal.print(answerChoices(request.risk));
  for (;;) {
    const line = await terminal.readLine('Allow this call? ');
    if (line === undefined) return { decision: 'denied', reason: 'The prompt was closed without a decision', approver };
    const answer = parseAnswer(line, request.risk);
    if (answer.type === 'approve') return { decision: 'approved', scope: answer.scope, approver };
    if (answer.type === 'deny') {
      return { decision: 'denied', approver, ...(answer.reason === undefined ? {} : { reason: answer.reason }) };
    }
    if (answer.type === 'unclear') terminal.print(answer.hint);
    if (answer.type === 'view') terminal.print(renderAllArguments(request.args, terminal.columns));
    if (answer.type !== 'edit') continue;
    const modifiedArgs = await edit(terminal, request.args);
    if (modifiedArgs !== undefined) return { decision: 'modified', modifiedArgs, approver };
  }
}

/** Returns the edited arguments, or `undefined` if the approver left them as they are. */
async function edit(terminal: Terminal, args: JsonObject): Promise<JsonObject | undefined> {
  let text = printable(JSON.stringify(args));
  if (text.length > maxPrefilledCharacters) text = '';
  terminal.print('Edit the arguments, one line of JSON. An empty line returns to the question.');
  for (;;) {
    const line = await terminal.readLine('Arguments > ', text);
    if (line === undefined || line.trim() === '') return undefined;
    const parsed = parseObject(line);
    if (typeof parsed !== 'string') return parsed;
    terminal.print(parsed);
    text = line;
  }
}

/** Parses the object, or returns what is wrong with the text. */
function parseObject(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
    return 'The arguments must be a JSON object: { ... }';
  } catch (error) {
    return `That is not JSON: ${printable((error as SyntaxError).message)}`;
  }
}

function withdrawn(): ApprovalDecisionInput {
  return { decision: 'denied', reason: 'The request was withdrawn' };
}

/** Returns the result of the turn, or denies at once on abort: a queued request must not outlive its signal. */
async function unlessAborted(
  turn: Promise<ApprovalDecisionInput>,
  signal: AbortSignal,
): Promise<ApprovalDecisionInput> {
  const { promise, resolve } = Promise.withResolvers<ApprovalDecisionInput>();
  const onAbort = (): void => resolve(withdrawn());
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([turn, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
