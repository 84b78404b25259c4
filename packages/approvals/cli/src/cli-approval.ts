import { isKernelError } from '@ravi/kernel';
import type {
  ApprovalDecisionInput,
  ApprovalHandler,
  ApprovalRequest,
  ApprovalRequestOptions,
  JsonObject,
  RequestedArtifact,
} from '@ravi/kernel';
import { askForInput, noTerminal } from './ask-for-input.ts';
import { answerChoices, parseAnswer } from './parse-answer.ts';
import { printable } from './terminal-text.ts';
import { renderArtifacts } from './render-artifacts.ts';
import { renderRequest } from './render-request.ts';
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
 * the end of the input the answer is no. It also asks for the input that a running call wants; without a terminal that is rejected
 * with `E_UNSUPPORTED`.
 */
export function createCliApproval({
  input = process.stdin,
  output = process.stderr,
}: CliApprovalOptions = {}): ApprovalHandler {
  let lastTurn: Promise<unknown> = Promise.resolve();

  async function takeTurn(request: ApprovalRequest, options: ApprovalRequestOptions): Promise<ApprovalDecisionInput> {
    const { signal } = options;
    if (signal.aborted) return withdrawn();
    const { elicitation } = request;
    if (!isInteractive(input, output)) {
      if (elicitation !== undefined) throw noTerminal(request.tool);
      return { decision: 'denied', reason: 'No approver can be asked: there is no terminal' };
    }
    using terminal = openTerminal(input, output, signal);
    const result =
      elicitation === undefined
        ? await ask(terminal, request, options)
        : await askForInput(terminal, { ...request, elicitation });
    if (!signal.aborted) return result;
    terminal.print(isKernelError(signal.reason) ? signal.reason.message : 'The request was withdrawn.');
    return withdrawn();
  }

  return {
    async request(request, options) {
      const { signal } = options;
      if (signal.aborted) return withdrawn();
      const turn = lastTurn.then(() => takeTurn(request, options));
      lastTurn = turn.catch(() => undefined);
      return unlessAborted(turn, signal);
    },
  };
}

async function ask(
  terminal: Terminal,
  request: ApprovalRequest,
  { checkArguments: check = async () => [], artifacts = [] }: ApprovalRequestOptions,
): Promise<ApprovalDecisionInput> {
  const { text, rest } = renderRequest(request, terminal.columns);
  let isAllShown = rest === undefined && artifacts.length === 0;
  terminal.print(text);
  if (artifacts.length > 0) terminal.print('The arguments name artifacts. Answer v to read them before a yes counts.');
  terminal.print(answerChoices(request));
  for (;;) {
    const line = await terminal.readLine('Allow this call? ');
    if (line === undefined) return { decision: 'denied', reason: 'The prompt was closed without a decision', approver };
    const answer = parseAnswer(line, request);
    if (answer.type === 'approve') {
      if (isAllShown) return { decision: 'approved', scope: answer.scope, approver };
      terminal.print('Not all that will run has been shown. Answer v first.');
    }
    if (answer.type === 'deny') {
      return { decision: 'denied', approver, ...(answer.reason === undefined ? {} : { reason: answer.reason }) };
    }
    if (answer.type === 'unclear') terminal.print(answer.hint);
    if (answer.type === 'view') {
      terminal.print(rest ?? 'All arguments are shown above.');
      isAllShown = await showArtifacts(terminal, artifacts);
    }
    if (answer.type !== 'edit') continue;
    const modifiedArgs = await edit(terminal, request.args, check);
    if (modifiedArgs !== undefined) return { decision: 'modified', modifiedArgs, approver };
  }
}

/** Prints the content of the artifacts. Returns `false` if one cannot be read, so that no yes counts. */
async function showArtifacts(terminal: Terminal, artifacts: readonly RequestedArtifact[]): Promise<boolean> {
  if (artifacts.length === 0) return true;
  try {
    terminal.print(await renderArtifacts(artifacts, terminal.columns));
    return true;
  } catch (error) {
    const reason = isKernelError(error) ? error.message : 'the store failed';
    terminal.print(`An artifact cannot be read: ${printable(reason)}`);
    return false;
  }
}

/** Returns the edited arguments, or `undefined` if the approver left them as they are. */
async function edit(
  terminal: Terminal,
  args: JsonObject,
  check: NonNullable<ApprovalRequestOptions['checkArguments']>,
): Promise<JsonObject | undefined> {
  let text = printable(JSON.stringify(args));
  if (text.length > maxPrefilledCharacters) text = '';
  terminal.print('Edit the arguments, one line of JSON. An empty line returns to the question.');
  for (;;) {
    const line = await terminal.readLine('Arguments > ', text);
    if (line === undefined || line.trim() === '') return undefined;
    const parsed = parseObject(line);
    const problems =
      typeof parsed === 'string' ? [parsed] : (await check(parsed)).map(({ message }) => printable(message));
    if (typeof parsed !== 'string' && problems.length === 0) return parsed;
    for (const problem of problems) terminal.print(problem);
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
