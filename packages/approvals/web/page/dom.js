/**
 * The element that a selector finds, which must be there and of this class.
 * @template {Element} Kind
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function find(root, selector, kind) {
  const found = root.querySelector(selector);
  if (found instanceof kind) return found;
  throw new TypeError(`The page has no ${selector}`);
}

/**
 * The marked part of a card.
 * @param {ParentNode} root
 * @param {string} name
 */
export function part(root, name) {
  return find(root, `[data-part="${name}"]`, HTMLElement);
}

/**
 * A new copy of what a template holds.
 * @param {string} id
 */
export function fromTemplate(id) {
  const { content } = find(document, `#${id}`, HTMLTemplateElement);
  const copy = document.importNode(content, true).firstElementChild;
  if (copy instanceof HTMLElement) return copy;
  throw new TypeError(`The template ${id} is empty`);
}

/**
 * Says something to those who listen to the page instead of looking at it.
 * @param {string} text
 */
export function announce(text) {
  const announcer = find(document, '#announcer', HTMLElement);
  const line = document.createElement('span');
  line.textContent = `${text}. `;
  announcer.append(line);
  while (announcer.childElementCount > 5) announcer.firstElementChild?.remove();
}
