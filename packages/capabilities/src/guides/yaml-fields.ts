import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { Document, Node, YAMLMap } from 'yaml';
import { nearNames, visibleText } from '@ravi/support';

/** A problem of a YAML file. */
export interface YamlProblem {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** Maximum number of entries in a list, and of characters in a text. */
const maxEntries = 50;
const maxCharacters = 2_000;
const maxProblems = 20;
const maxShownCharacters = 60;
/** Message of the parser, which calls itself for each level. */
const tooDeep = /call stack/;

/** A mapping of a YAML file, read field by field. What does not fit is noted with its line. */
export class YamlFields {
  readonly #file: YamlFile;
  readonly #map: YAMLMap;
  readonly #what: string;
  readonly #known = new Set<string>();

  constructor(file: YamlFile, map: YAMLMap, what: string) {
    this.#file = file;
    this.#map = map;
    this.#what = what;
  }

  /** Line of a field, or of the mapping if it has no such field. */
  lineOf(key: string): number {
    return this.#file.lineOf(this.#node(key) ?? this.#map);
  }

  /** Returns a text; `undefined` if it is absent or wrong. */
  text(key: string, { isRequired = false }: { readonly isRequired?: boolean } = {}): string | undefined {
    const node = this.#node(key);
    if (node !== undefined) return this.#file.text(node, `"${key}"`);
    if (isRequired) this.#file.note(this.#map, `${this.#what} needs "${key}"`);
    return undefined;
  }

  /** Returns a list of texts, also if one text is written instead; empty if it is absent. */
  texts(key: string, rules: { readonly isRequired?: boolean } = {}): readonly string[] {
    return this.entries(key, (node) => this.#file.text(node, `an entry of "${key}"`), rules);
  }

  /** Returns the entries of a list that `read` returns; a single entry may be written without a list. */
  entries<Entry>(
    key: string,
    read: (node: Node) => Entry | undefined,
    { isRequired = false }: { readonly isRequired?: boolean } = {},
  ): readonly Entry[] {
    const node = this.#node(key);
    if (node === undefined) {
      if (isRequired) this.#file.note(this.#map, `${this.#what} needs "${key}"`);
      return [];
    }
    const nodes = isSeq(node) ? (node.items as Node[]) : [node];
    if (nodes.length === 0) this.#file.note(node, `"${key}" is empty; write an entry, or remove the line`);
    if (nodes.length > maxEntries)
      this.#file.note(node, `"${key}" has ${nodes.length} entries; at most ${maxEntries} are allowed`);
    return nodes.slice(0, maxEntries).flatMap((each) => read(each) ?? []);
  }

  /** Returns a mapping as JSON text; `undefined` if it is absent or wrong. */
  json(key: string): string | undefined {
    const node = this.#node(key);
    return node === undefined ? undefined : this.#file.json(node, `"${key}"`);
  }

  /** Notes every field that was not read. */
  end(): void {
    for (const { key } of this.#map.items) {
      const name = isScalar(key) ? String(key.value) : '';
      if (this.#known.has(name)) continue;
      const near = nearNames(name, this.#known);
      const hint =
        near.length === 0 ? `it may have ${[...this.#known].join(', ')}` : `did you mean ${near.join(' or ')}?`;
      this.#file.note(key as Node, `${this.#what} has an unknown field ${quoted(name)}; ${hint}`);
    }
  }

  #node(key: string): Node | undefined {
    this.#known.add(key);
    const pair = this.#map.items.find((each) => isScalar(each.key) && each.key.value === key);
    // A field without a value has no node of its own in every case.
    return pair === undefined ? undefined : ((pair.value ?? pair.key) as Node);
  }
}

/** A YAML file with one mapping. Aliases, tags and repeated keys are problems, because their expansion has no bound or no meaning here. */
export class YamlFile {
  readonly #problems: YamlProblem[] = [];
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;

  constructor(text: string) {
    const options = { lineCounter: this.#lines, prettyErrors: false, stringKeys: true, logLevel: 'error' } as const;
    this.#document = parseDocument(text, options);
    for (const { pos, message } of [...this.#document.errors, ...this.#document.warnings]) {
      const { line } = this.#lines.linePos(pos[0]);
      const isTooDeep = tooDeep.test(message);
      this.noteAt(line, isTooDeep ? 'the values are nested too deeply' : message.replaceAll(/\s+/g, ' ').slice(0, 200));
      // What the parser says after that is about its own state.
      if (isTooDeep) break;
    }
    if (this.#problems.length > 0) return;
    visit(this.#document, {
      Alias: (_, node) =>
        this.note(node, `the alias ${quoted(`*${node.source}`)} is not allowed; write the value again`),
      Node: (_, node) => {
        const { tag } = node as { readonly tag?: string };
        if (tag !== undefined && !isAlias(node)) this.note(node, `the tag ${quoted(tag)} is not allowed`);
      },
    });
  }

  /** Problems in the order of their lines, at most 20. */
  get problems(): readonly YamlProblem[] {
    return this.#problems.toSorted((left, right) => left.line - right.line).slice(0, maxProblems);
  }

  /** Returns the fields of the file; `undefined` if it has problems already, or is not a mapping. */
  fields(what: string): YamlFields | undefined {
    if (this.#problems.length > 0) return undefined;
    const { contents } = this.#document;
    if (isMap(contents)) return new YamlFields(this, contents, what);
    this.noteAt(1, `${what} must be a mapping of fields`);
    return undefined;
  }

  /** Returns the fields of a mapping in the file; `undefined`, without a problem, for any other value. */
  fieldsOf(node: Node, what: string): YamlFields | undefined {
    return isMap(node) ? new YamlFields(this, node, what) : undefined;
  }

  text(node: Node, what: string): string | undefined {
    const value = isScalar(node) ? node.value : undefined;
    if (typeof value !== 'string' || value.trim() === '') {
      const hint = isMap(node) ? '; quote a text that has a colon' : '';
      this.note(node, `${what} must be a text, got ${kindOf(node)}${hint}`);
      return undefined;
    }
    if (value.length > maxCharacters) {
      this.note(node, `${what} has ${value.length} characters; at most ${maxCharacters} are allowed`);
      return undefined;
    }
    return visibleText(value).trim();
  }

  json(node: Node, what: string): string | undefined {
    if (!isMap(node)) {
      this.note(node, `${what} must be a mapping, got ${kindOf(node)}`);
      return undefined;
    }
    const text = visibleText(JSON.stringify(node.toJS(this.#document)));
    if (text.length <= maxCharacters) return text;
    this.note(node, `${what} has ${text.length} characters as JSON; at most ${maxCharacters} are allowed`);
    return undefined;
  }

  note(node: Node, message: string): void {
    this.noteAt(this.lineOf(node), message);
  }

  lineOf(node: Node): number {
    return this.#lines.linePos(node.range?.[0] ?? 0).line;
  }

  noteAt(line: number, message: string): void {
    this.#problems.push({ line, message });
  }
}

function kindOf(node: Node): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  const value = isScalar(node) ? node.value : undefined;
  if (value === null || value === undefined) return 'nothing';
  return typeof value === 'string' ? 'an empty text' : `the ${typeof value} ${JSON.stringify(value)}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, maxShownCharacters));
}
