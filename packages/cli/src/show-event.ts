import type { ProgressUpdate } from '@ravi/kernel';
import type { RecordedEvent } from '@ravi/api';
import { visible } from './render/visible.ts';
import type { Terminal } from './terminal.ts';

/** Prints the events of a run as they arrive. */
export interface EventView {
  show(event: RecordedEvent): void;
  /** Final text of the agent, once the run has ended. */
  readonly text: string;
  /** True if that text is on standard output already. */
  readonly hasShownText: boolean;
}

/** Options of {@link createEventView}. */
export interface EventViewOptions {
  /** True if the text of the model goes to standard output. */
  readonly showsText: boolean;
  /** True if another approver has to decide; the view then prints the command for it. */
  readonly namesApprovals: boolean;
}

/** Creates a view that prints text on standard output and everything else on standard error. */
export function createEventView(terminal: Terminal, { showsText, namesApprovals }: EventViewOptions): EventView {
  const { warn, write, progress } = terminal;
  let isInLine = false;
  let hasShownText = false;
  let answer = '';
  /** Calls that were cancelled last. Only what follows says if the run has paused: they are repeated then. */
  let cancelled: readonly CallResult[] = [];

  function endLine(): void {
    if (isInLine) write('\n');
    isInLine = false;
  }

  function tell(line: string): void {
    endLine();
    warn(visible(line));
  }

  return {
    get text() {
      return answer;
    },
    get hasShownText() {
      return hasShownText;
    },
    show({ type, data }) {
      if (type === 'tool-result' && data.errorCode === 'E_CANCELLED') {
        cancelled = [...cancelled, data];
        return;
      }
      for (const call of cancelled) tell(type === 'run-paused' ? `${call.tool}: paused` : resultText(call));
      cancelled = [];
      switch (type) {
        case 'step-start':
          hasShownText = false;
          return endLine();
        case 'step-end':
          return endLine();
        case 'model-delta':
          if (!showsText) return;
          isInLine = true;
          hasShownText = true;
          return write(visible(data.text));
        case 'model-text':
          // Its deltas were written while no one read the events.
          if (!showsText || hasShownText) return;
          isInLine = true;
          hasShownText = true;
          return write(visible(data.text));
        case 'model-retry': {
          if (showsText) hasShownText = false;
          const wait = (data.delayMs / 1000).toFixed(1);
          return tell(`model: ${data.error.code}; attempt ${data.attempt + 1} in ${wait} s: ${data.error.message}`);
        }
        case 'tool-call':
          return progress(visible(`${data.tool} …`));
        case 'tool-progress':
          return progress(visible(`${data.tool}: ${progressText(data.update)}`));
        case 'tool-retry': {
          const wait = (data.delayMs / 1000).toFixed(1);
          const { code, message } = data.error;
          return tell(`${data.tool}: ${code}; attempt ${data.attempt + 1} in ${wait} s: ${message}`);
        }
        case 'tool-result':
          return tell(resultText(data));
        case 'approval-requested':
          if (!namesApprovals) return;
          return data.elicitation === undefined
            ? tell(`${data.tool} waits for approval: ravi approvals approve ${data.requestId}`)
            : tell(`${data.tool} asks for input: ravi approvals answer ${data.requestId}`);
        case 'completion-requested':
          return tell(`${data.tool} waits for its result from outside`);
        case 'completion-ended':
          return tell(`${data.tool} ${completionText[data.outcome]}`);
        case 'run-input':
          return tell(`input: ${data.text}`);
        case 'console':
          return tell(`console.${data.level}: ${data.text}`);
        case 'artifact':
          return tell(data.name === undefined ? `artifact ${data.ref}` : `artifact ${data.ref}: ${data.name}`);
        case 'run-end':
          answer = data.text ?? '';
          return endLine();
        default:
      }
    },
  };
}

const completionText = {
  result: 'has its result from outside',
  error: 'has an error from outside',
  expired: 'got no result from outside in time',
  ended: 'waits for no result from outside any more',
} as const;

type CallResult = Extract<RecordedEvent, { readonly type: 'tool-result' }>['data'];

function resultText({ tool, errorCode, status, durationMs }: CallResult): string {
  return `${tool}: ${errorCode ?? status} in ${durationMs.toFixed(1)} ms`;
}

function progressText({ message, fraction }: ProgressUpdate): string {
  const share = fraction === undefined ? undefined : `${Math.round(100 * fraction)} %`;
  return [share, message].filter((part) => part !== undefined).join(' ');
}
