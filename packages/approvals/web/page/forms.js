import { find, part } from './dom.js';

/**
 * A form of a card that a button opens and Escape closes; the focus goes along.
 * @param {HTMLElement} card
 * @param {{ form: string, trigger: string, prepare: () => Promise<void> | void, submit: () => void }} options
 */
export function connectForm(card, { form: formName, trigger, prepare, submit }) {
  const form = part(card, formName);
  const button = part(card, trigger);
  const field = find(form, 'textarea', HTMLTextAreaElement);

  const open = async () => {
    await prepare();
    for (const other of card.querySelectorAll('form')) other.hidden = other !== form;
    for (const other of card.querySelectorAll('[aria-expanded]'))
      other.setAttribute('aria-expanded', String(other === button));
    field.focus();
  };
  const close = () => {
    form.hidden = true;
    button.setAttribute('aria-expanded', 'false');
    button.focus();
  };

  button.addEventListener('click', () => (form.hidden ? void open() : close()));
  part(form, 'cancel').addEventListener('click', close);
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
}

let lastId = 0;

/**
 * Ties a label, a hint or a message to a field by ids that no other card has.
 * @param {HTMLElement} field
 * @param {{ label: HTMLElement, descriptions?: readonly HTMLElement[] }} texts
 */
export function describeField(field, { label, descriptions = [] }) {
  field.id = `field-${++lastId}`;
  label.setAttribute('for', field.id);
  for (const [index, description] of descriptions.entries()) description.id = `${field.id}-${index}`;
  if (descriptions.length > 0) field.setAttribute('aria-describedby', descriptions.map(({ id }) => id).join(' '));
}
