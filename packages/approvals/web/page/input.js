import { part } from './dom.js';
import { describeField } from './forms.js';
import { printable } from './text.js';

/** @typedef {import('./api.js').ApprovalView} ApprovalView */
/** @typedef {NonNullable<ApprovalView['form']>[number]} FormField */
/** @typedef {HTMLInputElement | HTMLSelectElement} Control */

/**
 * Shows what a running call asks a person, in place of the ways to decide about a call. Returns the function that reads the answer, or
 * `undefined` if the request is one for permission.
 * @param {HTMLElement} card
 * @param {ApprovalView} approval
 * @returns {(() => { content?: Record<string, unknown> } | undefined) | undefined}
 */
export function showInput(card, { elicitation, form = [] }) {
  if (elicitation === undefined) return undefined;
  part(card, 'summary').textContent = printable(elicitation.message);
  part(card, 'summary').hidden = false;
  part(card, 'risk').textContent = 'asks for input';
  for (const name of ['approve-run', 'edit']) part(card, name).hidden = true;
  part(card, 'deny').textContent = 'Decline';
  part(card, 'decline').textContent = 'Decline the request';
  part(card, 'reason-label').textContent = 'Why not? For the record.';
  part(card, 'approve').textContent = elicitation.mode === 'url' ? 'I have done it' : 'Send answer';
  const place = part(card, 'input');
  place.hidden = false;
  if (elicitation.mode === 'url') {
    place.append(linkTo(elicitation.url));
    return () => ({});
  }
  const controls = form.map((field) => addField(place, field));
  return () => {
    const invalid = controls.find(({ first }) => !first.reportValidity());
    if (invalid !== undefined) return undefined;
    const values = controls.map(({ name, read }) => /** @type {const} */ ([name, read()]));
    return { content: Object.fromEntries(values.filter(([, value]) => value !== undefined)) };
  };
}

/**
 * The host first, because it is what a person can judge. The page gets no way back to this one.
 * @param {string} address
 */
function linkTo(address) {
  const line = document.createElement('p');
  const link = document.createElement('a');
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.textContent = `Open ${new URL(address).host}`;
  const whole = document.createElement('code');
  whole.textContent = printable(address);
  line.append(link, document.createElement('br'), whole);
  return line;
}

/**
 * @param {HTMLElement} place
 * @param {FormField} field
 * @returns {{ name: string, first: Control, read: () => unknown }}
 */
function addField(place, field) {
  const label = document.createElement('label');
  label.textContent = printable(field.label) + (field.isRequired ? '' : ' (optional)');
  const hint = document.createElement('p');
  hint.className = 'hint';
  hint.textContent = printable(field.description ?? '');
  hint.hidden = field.description === undefined;
  const { control, read } = controlFor(field);
  describeField(control, { label, descriptions: [hint] });
  place.append(label, hint, control);
  return { name: field.name, first: control, read };
}

/**
 * @param {FormField} field
 * @returns {{ control: Control, read: () => unknown }}
 */
function controlFor(field) {
  const { kind, choices = [], isRequired, default: preset } = field;
  if (kind === 'choice' || kind === 'choices') {
    const select = document.createElement('select');
    select.multiple = kind === 'choices';
    select.required = isRequired;
    if (kind === 'choice') select.append(new Option('Choose', ''));
    for (const { value, label } of choices) {
      const isChosen = Array.isArray(preset) ? preset.includes(value) : preset === value;
      select.append(new Option(printable(label), value, isChosen, isChosen));
    }
    const chosen = () => [...select.selectedOptions].map(({ value }) => value);
    const read = () => (kind === 'choice' ? select.value || undefined : chosen().length === 0 ? undefined : chosen());
    return { control: select, read };
  }
  const input = document.createElement('input');
  if (kind === 'boolean') {
    input.type = 'checkbox';
    input.checked = preset === true;
    return { control: input, read: () => input.checked };
  }
  input.required = isRequired;
  input.value = preset === undefined ? '' : String(preset);
  if (kind === 'text') {
    input.type =
      field.format === 'email' ? 'email' : field.format === 'uri' ? 'url' : field.format === 'date' ? 'date' : 'text';
    if (field.minimum !== undefined) input.minLength = field.minimum;
    if (field.maximum !== undefined) input.maxLength = field.maximum;
    return { control: input, read: () => input.value || undefined };
  }
  input.type = 'number';
  input.step = kind === 'integer' ? '1' : 'any';
  if (field.minimum !== undefined) input.min = String(field.minimum);
  if (field.maximum !== undefined) input.max = String(field.maximum);
  return { control: input, read: () => (input.value === '' ? undefined : Number(input.value)) };
}
