import type { ProgressUpdate } from '@ravi/kernel';
import type { RunEvent } from './client/answers.ts';
import { visible } from './render/visible.ts';
import type { Terminal } from './terminal.ts';

/** Shows the events of a run as they come. */
export interface EventView {
  show(event: RunEvent): void;
  /** The last answer of the model, once the run is over. */
  readonly text: string;
  /** Whether that answer stands on standard output already. */
  readonly hasShownText: boolean;
}

/** What a view shows beside calls, console lines and artifacts. */
export interface EventViewOptions {
  /** Whether the words of the model go to standard output. */
  readonly showsText: boolean;
  /** Whether somebody else has to decide; then it says how. */
  readonly namesApprovals: boolean;
}

/** What events tell, as the server's documentation says. */
interface Told {
  readonly tool?: string;
  readonly status?: string;
  readonly errorCode?: string;
  readonly durationMs?: number;
  readonly level?: string;
  readonly requestId?: string;
  readonly ref?: string;
}

/** Words on standard output, everything else on standard error. */
export function createEventView(terminal: Terminal, { showsText, namesApprovals }: EventViewOptions): EventView {
  const { warn, write, progress } = terminal;
  let isInLine = false;
  let hasShownText = false;
  let answer = '';

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
      const {
        tool = '',
        status = '',
        level = '',
        requestId = '',
        ref = '',
        errorCode = status,
        durationMs = 0,
      } = data as Told;
      switch (type) {
        case 'step':
          if (status === 'started') hasShownText = false;
          return endLine();
        case 'model-delta':
          if (!showsText) return;
          isInLine = true;
          hasShownText = true;
          return write(visible(textOf(data)));
        case 'tool-call':
          return progress(visible(`${tool} …`));
        case 'tool-progress':
          return progress(visible(`${tool}: ${progressText(data['update'])}`));
        case 'tool-result':
          return tell(`${tool}: ${errorCode} in ${durationMs.toFixed(1)} ms`);
        case 'approval-requested':
          if (!namesApprovals) return;
          return tell(`${tool} waits for approval: ravi approvals approve ${requestId}`);
        case 'console':
          return tell(`console.${level}: ${textOf(data)}`);
        case 'artifact':
          return tell(`artifact ${ref}`);
        case 'run-ended':
          answer = textOf(data);
          return endLine();
        default:
      }
    },
  };
}

function textOf({ text }: RunEvent['data']): string {
  return typeof text === 'string' ? text : '';
}

function progressText(update: unknown): string {
  const { message, fraction } = (update ?? {}) as ProgressUpdate;
  const share = fraction === undefined ? undefined : `${Math.round(100 * fraction)} %`;
  return [share, message].filter((part) => part !== undefined).join(' ');
}
