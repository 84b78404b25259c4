import { KernelError } from '@ravi/kernel';
import type { ApprovalDecisionInput, ApprovalRequest, ElicitationRequest, JsonObject, JsonValue } from '@ravi/kernel';
import { answerProblems, formOf } from '@ravi/support';
import type { FormField } from '@ravi/support';
import { printable, wrap } from './terminal-text.ts';
import type { Terminal } from './terminal.ts';

/** Request for input as the terminal needs it. */
export type InputRequest = Pick<ApprovalRequest, 'tool' | 'principal'> & { readonly elicitation: ElicitationRequest };

const approver = 'terminal';
const closed: ApprovalDecisionInput = {
  decision: 'denied',
  reason: 'The prompt was closed without an answer',
  approver,
};

/** Asks the person at the terminal for what a running call wants to know: to visit a page, or to fill in a form. */
export async function askForInput(terminal: Terminal, request: InputRequest): Promise<ApprovalDecisionInput> {
  const { elicitation, tool, principal } = request;
  terminal.print('');
  terminal.print(`The running tool ${printable(tool)} asks for input, for ${printable(principal)}`);
  for (const row of wrap(printable(elicitation.message), Math.max(20, terminal.columns - 4)))
    terminal.print(`  | ${row}`);
  if (elicitation.mode === 'form') return fillIn(terminal, formOf(elicitation));
  const url = new URL(elicitation.url);
  terminal.print(`  host  ${url.host}`);
  terminal.print(`  page  ${printable(url.href)}`);
  const answer = await yesOrNo(terminal, 'Open the page in a browser. Have you done what it asks? (y/n) ');
  return answer === undefined ? closed : { decision: answer ? 'approved' : 'denied', approver };
}

async function fillIn(terminal: Terminal, fields: readonly FormField[]): Promise<ApprovalDecisionInput> {
  const begins = await yesOrNo(terminal, 'Answer it? (y/n) ');
  if (begins !== true) return begins === undefined ? closed : { decision: 'denied', approver };
  for (;;) {
    const content: Record<string, JsonValue> = {};
    for (const field of fields) {
      const value = await readField(terminal, field);
      if (value === 'closed') return closed;
      if (value !== undefined) content[field.name] = value.value;
    }
    terminal.print(printable(JSON.stringify(content)));
    const sends = await yesOrNo(terminal, 'Send this answer? (y/n) ');
    if (sends === undefined) return closed;
    if (sends) return { decision: 'approved', content, approver };
  }
}

/** Reads one field until it fits. An empty line leaves out a field that is not required. */
async function readField(
  terminal: Terminal,
  field: FormField,
): Promise<{ readonly value: JsonValue } | 'closed' | undefined> {
  if (field.description !== undefined) terminal.print(`  ${printable(field.description)}`);
  for (const [index, { label, value }] of (field.choices ?? []).entries()) {
    terminal.print(`  ${index + 1}. ${printable(label)}${label === value ? '' : ` (${printable(value)})`}`);
  }
  for (;;) {
    const usual = field.default === undefined ? '' : shownDefault(field);
    const line = await terminal.readLine(`${promptOf(field)}: `, usual);
    if (line === undefined) return 'closed';
    if (line.trim() === '' && !field.isRequired) return undefined;
    const value = valueOf(field, line);
    const content: JsonObject = value === undefined ? {} : { [field.name]: value };
    const [problem] = answerProblems([field], content);
    if (problem === undefined && value !== undefined) return { value };
    terminal.print(`It ${problem?.message ?? 'is required'}.`);
  }
}

function promptOf({ label, kind, isRequired }: FormField): string {
  const hints: Readonly<Partial<Record<FormField['kind'], string>>> = {
    boolean: ' (y/n)',
    choice: ' (number or value)',
    choices: ' (numbers or values, separated by commas)',
  };
  return `${printable(label)}${hints[kind] ?? ''}${isRequired ? '' : ', optional'}`;
}

function shownDefault({ kind, default: preset }: FormField): string {
  if (kind === 'boolean') return preset === true ? 'y' : 'n';
  return printable(Array.isArray(preset) ? preset.join(', ') : String(preset));
}

function valueOf(field: FormField, line: string): JsonValue | undefined {
  const text = line.trim();
  switch (field.kind) {
    case 'text':
      return line;
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : text;
    case 'number':
    case 'integer':
      return text === '' || Number.isNaN(Number(text)) ? text : Number(text);
    case 'choice':
      return choiceOf(field, text);
    case 'choices':
      return text === '' ? [] : text.split(',').map((each) => choiceOf(field, each.trim()));
  }
}

// A number means a position, unless it is itself a value.
function choiceOf({ choices = [] }: FormField, text: string): string {
  if (choices.some(({ value }) => value === text)) return text;
  const chosen = /^\d{1,3}$/.test(text) ? choices[Number(text) - 1] : undefined;
  return chosen?.value ?? text;
}

async function yesOrNo(terminal: Terminal, question: string): Promise<boolean | undefined> {
  for (;;) {
    const line = await terminal.readLine(question);
    if (line === undefined) return undefined;
    if (/^\s*y(?:es)?\s*$/i.test(line)) return true;
    if (/^\s*no?\s*$/i.test(line)) return false;
    terminal.print('Answer y or n.');
  }
}

/** Returns the error for a request for input that no person can be asked. */
export function noTerminal(tool: string): KernelError {
  return new KernelError('E_UNSUPPORTED', `The tool ${tool} asks for input, and there is no terminal`);
}
