import type { api, ApprovalView, QueryOf } from '@ravi/api';
import { isUndecided, KernelError } from '@ravi/kernel';
import type { ApprovalDecisionInput, ApprovalRequest, JsonObject } from '@ravi/kernel';
import { createCliApproval } from '@ravi/approval-cli';
import { decide } from '../answer-approvals.ts';
import { ask } from '../ask.ts';
import { connect } from '../connection/connect.ts';
import { inputOf } from '../connection/connection.ts';
import type { CommandBody } from '../command.ts';
import { readJsonObject } from '../read-input.ts';
import { printList, tableLines } from '../render/table.ts';
import { statusText, timeText } from '../render/format.ts';
import { visible } from '../render/visible.ts';
import type { Terminal } from '../terminal.ts';

/** Lists approvals, newest first; those that wait for a decision by default. */
export const listApprovals: CommandBody = async (invocation, terminal) => {
  const { status = 'undecided', run: runId, limit, cursor } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const wanted = status === 'all' ? undefined : status;
  const query = inputOf<QueryOf<typeof api.approvals.list>>({ status: wanted, runId, limit, cursor });
  const { items, next } = await client.approvals.list(query);
  printList({ items, ...(next === undefined ? {} : { next }) }, invocation, terminal, (approval) => [
    approval.id,
    visible(approval.tool),
    statusText(approval.risk, terminal),
    statusText(approval.status, terminal),
    timeText(approval.requestedAt),
  ]);
};

/** Shows one approval with its arguments. */
export const showApproval: CommandBody = async (invocation, terminal) => {
  const { approval: id = '' } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const { approval } = await client.approvals.get(id);
  if (invocation.isJson) return terminal.print(JSON.stringify(approval));
  for (const line of approvalLines(approval, terminal)) terminal.print(line);
};

/**
 * Approves a call, optionally with other arguments or for the rest of its run. Shows what will run and asks, unless `--yes`
 * is given.
 */
export const approve: CommandBody = async (invocation, terminal) => {
  const { approval: id = '', reason, scope, args } = invocation.values;
  const asks = !invocation.flags.has('yes');
  if (asks && (!terminal.isInteractive || args === '-')) {
    const place = terminal.isInteractive ? 'The arguments come from standard input' : 'Not a terminal';
    const look = visible(`ravi approvals show ${id}`);
    throw new KernelError('E_USAGE', `${place}: see "${look}", then pass --yes to approve without being asked`);
  }
  const modifiedArgs = args === undefined ? undefined : await readJsonObject(args, 'The arguments', terminal);
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  if (asks) await confirm((await client.approvals.get(id)).approval, modifiedArgs, terminal);
  const { approval } = await decide(client, id, {
    ...(modifiedArgs === undefined ? { decision: 'approved' } : { decision: 'modified', modifiedArgs }),
    ...(reason === undefined ? {} : { reason }),
    ...(scope === 'run' ? { scope } : {}),
  });
  terminal.print(invocation.isJson ? JSON.stringify(approval) : visible(`Approved: ${approval.tool}`));
};

/** Answers a request for input: with the content that is given, or with what the person at the terminal types. */
export const answer: CommandBody = async (invocation, terminal) => {
  const { approval: id = '', content: given } = invocation.values;
  const content = given === undefined ? undefined : await readJsonObject(given, 'The content', terminal);
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const { approval } = await client.approvals.get(id);
  const { elicitation } = approval;
  if (elicitation === undefined) {
    throw new KernelError(
      'E_USAGE',
      `${visible(approval.tool)} needs permission, not input: use "ravi approvals approve"`,
    );
  }
  const decided = await decide(client, id, await answerOf(approval, content, invocation.flags.has('done'), terminal));
  const text = decided.approval.status === 'denied' ? 'Declined' : 'Answered';
  terminal.print(invocation.isJson ? JSON.stringify(decided.approval) : visible(`${text}: ${approval.tool}`));
};

async function answerOf(
  approval: ApprovalView,
  content: JsonObject | undefined,
  isDone: boolean,
  terminal: Terminal,
): Promise<ApprovalDecisionInput> {
  if (content !== undefined) return { decision: 'approved', content };
  if (isDone) return { decision: 'approved' };
  if (!terminal.isInteractive) {
    const what =
      approval.elicitation?.mode === 'form' ? '--content with the answer' : '--done once the page was visited';
    throw new KernelError('E_USAGE', `Not a terminal: pass ${what}`);
  }
  const request: ApprovalRequest = { args: {}, ...approval, argsDigest: '', toolDigest: '' };
  const result = await createCliApproval().request(request, { signal: new AbortController().signal });
  if (result.decision !== 'approved' && result.reason !== undefined) {
    throw new KernelError('E_CANCELLED', 'Not answered: the request stays open');
  }
  const { decision, content: typed } = result;
  return { decision, ...(typed === undefined ? {} : { content: typed }) };
}

/** Shows what will run and asks. @throws KernelError `E_CANCELLED` unless the answer is a clear yes */
async function confirm(
  approval: ApprovalView,
  modifiedArgs: JsonObject | undefined,
  terminal: Terminal,
): Promise<void> {
  // The server refuses the decision, and says why.
  if (!isUndecided(approval)) return;
  if (approval.elicitation !== undefined) {
    throw new KernelError(
      'E_USAGE',
      `${visible(approval.tool)} asks for input: use "${visible(`ravi approvals answer ${approval.id}`)}"`,
    );
  }
  for (const line of approvalLines(approval, terminal)) terminal.warn(line);
  if (modifiedArgs !== undefined) {
    terminal.warn('\nThe call will run with these arguments instead:');
    terminal.warn(visible(JSON.stringify(modifiedArgs, null, 2)));
  }
  const isCritical = approval.risk === 'critical';
  const answer = await ask(isCritical ? '\nType approve to allow this critical call' : '\nAllow this call? (y/n)');
  const yes = isCritical ? ['approve'] : ['y', 'yes'];
  if (yes.includes(answer.toLowerCase())) return;
  throw new KernelError('E_CANCELLED', 'Not approved: the request stays open');
}

/** Denies a call; the reason is shown to the model. */
export const deny: CommandBody = async (invocation, terminal) => {
  const { approval: id = '', reason } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const { approval } = await decide(client, id, { decision: 'denied', ...(reason === undefined ? {} : { reason }) });
  terminal.print(invocation.isJson ? JSON.stringify(approval) : visible(`Denied: ${approval.tool}`));
};

function approvalLines(approval: ApprovalView, terminal: Pick<Terminal, 'paint'>): readonly string[] {
  const { id, tool, risk, status, principal, runId, description, summary, display, answer } = approval;
  return [
    ...tableLines([
      ['approval', id],
      ['tool', visible(tool)],
      ['risk', statusText(risk, terminal)],
      ['status', statusText(status, terminal)],
      ['for', visible(principal)],
      ['run', visible(runId)],
      ['asked', timeText(approval.requestedAt)],
      [
        status === 'parked' ? 'parked' : approval.onExpiry === 'park' ? 'parks' : 'expires',
        timeText(approval.expiresAt),
      ],
      ['purpose', visible(description.split('\n', 1)[0] ?? '')],
      ...(summary === undefined ? [] : [['effect', visible(summary)]]),
      ...(answer === undefined ? [] : [['answer', visible(answerText(answer))]]),
    ]),
    ...inputLines(approval),
    '',
    ...(display?.rows ?? []).flatMap(rowLines),
  ];
}

/** Returns what a running call asks a person. */
function inputLines({ elicitation, form = [] }: ApprovalView): readonly string[] {
  if (elicitation === undefined) return [];
  const about = ['', 'asks for input:', visible(elicitation.message)];
  if (elicitation.mode === 'url') return [...about, `host ${new URL(elicitation.url).host}`, visible(elicitation.url)];
  return [
    ...about,
    ...form.map(({ name, label, kind, isRequired, choices = [] }) => {
      const of = choices.length === 0 ? kind : choices.map(({ value }) => value).join(' | ');
      return visible(`  ${name}${isRequired ? '' : '?'}: ${of}${label === name ? '' : `  ${label}`}`);
    }),
  ];
}

type DisplayRow = NonNullable<ApprovalView['display']>['rows'][number];

// The same rows as in the inbox, with the marks explained below each row.
function rowLines({ depth, segments }: DisplayRow): readonly string[] {
  const indent = '  '.repeat(depth);
  const notes = segments.flatMap(({ text, mark, note }) =>
    mark === undefined ? [] : [visible(`${indent}^ ${text.slice(0, 40)}: ${note ?? mark}`)],
  );
  return [visible(indent + segments.map(({ text }) => text).join('')), ...notes];
}

function answerText({ decision, approver, reason }: NonNullable<ApprovalView['answer']>): string {
  const by = approver === undefined ? '' : ` by ${approver}`;
  return `${decision}${by}${reason ? `: ${reason}` : ''}`;
}
