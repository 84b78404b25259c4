import { find, part } from './dom.js';

/**
 * A form of a card that a button opens and Escape closes; the focus goes along.
 * @param {HTMLElement} card
 * @param {{ form: string, trigger: string, prepare: () => Promise<boolean> | boolean, submit: () => void }} options
 */
export function connectForm(card, { form: formName, trigger, prepare, submit }) {
  const form = part(card, formName);
  const button = part(card, trigger);
  const field = find(form, 'textarea', HTMLTextAreaElement);

  // The other ways to decide are out of reach meanwhile: an approval must never be the one without the changes.
  const actions = part(card, 'actions');
  const setOpen = (/** @type {boolean} */ isOpen) => {
    form.hidden = !isOpen;
    actions.hidden = isOpen;
    (isOpen ? field : button).focus();
  };
  const close = () => setOpen(false);

  const open = async () => {
    if (await prepare()) setOpen(true);
  };

  button.addEventListener('click', () => void open());
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
