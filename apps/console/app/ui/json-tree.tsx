import type { JsonValue } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import { Disclosure } from './disclosure.tsx';
import { formatCount, jsonLine } from './format.ts';
import { partsOf } from './json-start.ts';
import type { Part } from './json-start.ts';
import { TextParts } from './pager.tsx';

/** Entries that one level shows before it is divided into parts. */
const maxEntries = 100;
/** Entries that are open at first, all levels together. */
const openEntries = 400;
const maxLeafCharacters = 10_000;

/** Props of a {@link JsonTree}. */
export interface JsonTreeProps {
  readonly value: JsonValue;
  /** Levels that are open at first, as far as they are short. */
  readonly depth?: number;
}

/** A JSON value of any size that can be opened level by level. Only what is open is in the document. */
export function JsonTree({ value, depth = 2 }: JsonTreeProps) {
  return (
    <div className="json">
      <Node value={value} depth={depth} budget={Number.POSITIVE_INFINITY} />
    </div>
  );
}

interface NodeProps {
  readonly value: JsonValue;
  readonly name?: string;
  readonly depth: number;
  /** The node is open at first if it has no more entries. */
  readonly budget: number;
}

function Node({ value, name, depth, budget }: NodeProps) {
  const label = name === undefined ? undefined : <span className="json-key">{printable(name)}: </span>;
  if (typeof value === 'string' && value.length > maxLeafCharacters) {
    return (
      <Disclosure
        isOpen={depth > 0 && budget === Number.POSITIVE_INFINITY}
        summary={
          <>
            {label}
            <span className="json-string">{jsonLine(value, 60)}</span>{' '}
            <span className="muted">{formatCount(value.length)} characters</span>
          </>
        }
      >
        {() => <TextParts text={value}>{(part) => <div className="json-text json-string">{part}</div>}</TextParts>}
      </Disclosure>
    );
  }
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="json-leaf">
        {label}
        <span className={`json-${value === null ? 'null' : typeof value}`}>{printable(JSON.stringify(value))}</span>
      </div>
    );
  }
  const isList = Array.isArray(value);
  const count = isList ? value.length : Object.keys(value).length;
  if (count === 0) {
    return (
      <div className="json-leaf">
        {label}
        {isList ? '[]' : '{}'}
      </div>
    );
  }
  return (
    <Disclosure
      isOpen={depth > 0 && count <= budget}
      summary={
        <>
          {label}
          <span className="muted">{isList ? `[${count}]` : jsonLine(value, 60)}</span>
        </>
      }
    >
      {() => (
        <div className="json-children">
          <Entries
            entries={Object.entries(value)}
            part={{ from: 0, to: count }}
            depth={depth - 1}
            budget={Math.min(budget, openEntries)}
          />
        </div>
      )}
    </Disclosure>
  );
}

interface EntriesProps {
  readonly entries: readonly (readonly [string, JsonValue])[];
  readonly part: Part;
  readonly depth: number;
  readonly budget: number;
}

/** The entries of a part; parts of it, with the first one open, if they are many. */
function Entries({ entries, part, depth, budget }: EntriesProps) {
  const parts = partsOf(part, maxEntries);
  if (parts.length > 0) {
    return parts.map((inner) => (
      <Disclosure
        key={inner.from}
        isOpen={inner.from === 0}
        summary={<span className="muted">{nameOf(entries, inner)}</span>}
      >
        {() => (
          <div className="json-children">
            <Entries entries={entries} part={inner} depth={depth} budget={budget} />
          </div>
        )}
      </Disclosure>
    ));
  }
  const share = Math.floor(budget / (part.to - part.from));
  return entries
    .slice(part.from, part.to)
    .map(([key, child]) => <Node key={key} name={key} value={child} depth={depth} budget={share} />);
}

function nameOf(entries: EntriesProps['entries'], { from, to }: Part): string {
  const [first = '', last = ''] = [entries[from]?.[0], entries[to - 1]?.[0]];
  return `${jsonLine(first, 30)} … ${jsonLine(last, 30)} (${formatCount(to - from)})`;
}
