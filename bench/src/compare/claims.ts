import { outcomeOf } from './contender.ts';
import type { Claim } from './contender.ts';
import { showCrash } from './crash.ts';

const rowCount = 20_000;

/** Counts how often a script runs a tool that requires approval while no approver is available. */
const approval: Claim = {
  title: 'A script calls a tool that needs approval, and no approver is available',
  counts: 'times the tool ran',
  async show({ reference, run }) {
    let sent = 0;
    const tools = [{ name: 'send_mail', needsApproval: true, execute: () => ++sent }];
    await outcomeOf(run(`return await ${reference('send_mail')}({})`, tools));
    return `${sent}`;
  },
};

/** Counts the effects of the first line of a script whose second line misspells a call. */
const mistake: Claim = {
  title: 'A script sends a mail and then calls a tool that does not exist',
  counts: 'mails sent before the mistake was found',
  async show({ reference, run }) {
    let sent = 0;
    const tools = [
      { name: 'send_mail', execute: () => ++sent },
      { name: 'list_orders', execute: () => [] },
    ];
    const code = `await ${reference('send_mail')}({})\nreturn await ${reference('list_order')}({})`;
    await outcomeOf(run(code, tools));
    return `${sent}`;
  },
};

/** Measures what a model reads when a script returns the whole result of a tool. */
const large: Claim = {
  title: `A script returns ${rowCount.toLocaleString('en')} rows that a tool gave it`,
  counts: 'what goes back to the model',
  async show({ reference, run }) {
    const rows = Array.from({ length: rowCount }, (_, id) => ({ id, name: `customer ${id}` }));
    const tools = [{ name: 'list_customers', execute: () => rows }];
    const text = await outcomeOf(run(`return await ${reference('list_customers')}({})`, tools));
    const isWhole = text.includes(`customer ${rowCount - 1}`);
    const size = text.length < 1_000 ? `${text.length} characters` : `${Math.round(text.length / 1_000)} kB`;
    if (isWhole) return `${size}: all of it`;
    if (text.includes('customer 0'))
      return `${size}: the beginning${text.includes('blob_') ? ', and a reference' : ''}`;
    return `${size}: ${text.slice(0, 80)}`;
  },
};

/** Counts what happens twice when a process is killed in the middle of a script and the work is resumed. */
const crash: Claim = {
  title: 'The process is killed between two mails of a script, and the script is taken up again',
  counts: 'first mails, second mails',
  show: showCrash,
};

/** Claims in the order of the page. */
export const claims: readonly Claim[] = [approval, mistake, large, crash];
