import { Tokenizer } from 'htmlparser2';

/** Receives the parts of a document in their order. Tags need not match. */
export interface TagHandler {
  /** Called for an opening tag, with its name in lower case. A name occurs once among the attributes. */
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close(name: string): void;
  text(text: string): void;
}

const maxAttributes = 32;
const maxAttributeChars = 4_096;
/** The only attributes that a handler reads; the others are not collected. */
const readAttributes: ReadonlySet<string> = new Set(['alt', 'class', 'hidden', 'href', 'lang', 'src', 'style']);

/**
 * Reads HTML piece by piece without building a tree, in time and memory that grow with its length only, however its tags are nested.
 * Returns a function that reads the next piece and returns the place after it.
 */
export function createTagReader(html: string, handler: TagHandler): (from: number, length: number) => number {
  let name = '';
  let attribute = '';
  let value = '';
  const attributes = new Map<string, string>();
  const slice = (start: number, end: number): string => html.slice(start, end);
  const opened = (): void => {
    handler.open(name, attributes);
    attributes.clear();
  };
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname(start, end) {
        name = slice(start, end).toLowerCase();
        attributes.clear();
      },
      onattribname(start, end) {
        attribute = slice(start, Math.min(end, start + maxAttributeChars)).toLowerCase();
        value = '';
      },
      onattribdata(start, end) {
        if (value.length < maxAttributeChars) value += slice(start, Math.min(end, start + maxAttributeChars));
      },
      onattribentity(codePoint) {
        if (value.length < maxAttributeChars) value += String.fromCodePoint(codePoint);
      },
      onattribend() {
        if (!readAttributes.has(attribute) || attributes.has(attribute)) return;
        if (attributes.size < maxAttributes) attributes.set(attribute, value);
      },
      onopentagend: opened,
      onselfclosingtag: opened,
      onclosetag(start, end) {
        handler.close(slice(start, end).toLowerCase());
      },
      ontext(start, end) {
        handler.text(slice(start, end));
      },
      ontextentity(codePoint) {
        handler.text(String.fromCodePoint(codePoint));
      },
      oncdata: () => undefined,
      oncomment: () => undefined,
      ondeclaration: () => undefined,
      onprocessinginstruction: () => undefined,
      onend: () => undefined,
    },
  );
  return (from, length) => {
    const to = Math.min(html.length, from + length);
    tokenizer.write(slice(from, to));
    if (to === html.length) tokenizer.end();
    return to;
  };
}
