import type { JsonValue } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import { Disclosure } from './disclosure.tsx';
import { jsonLine } from './format.ts';

const maxChildren = 200;

/** A JSON value that can be opened level by level; `depth` levels are open at first. */
export function JsonTree({
  value,
  name,
  depth = 2,
}: {
  readonly value: JsonValue;
  readonly name?: string;
  readonly depth?: number;
}) {
  return (
    <div className="json">
      <Node value={value} depth={depth} {...(name === undefined ? {} : { name })} />
    </div>
  );
}

interface NodeProps {
  readonly value: JsonValue;
  readonly name?: string;
  readonly depth: number;
}

function Node({ value, name, depth }: NodeProps) {
  const label = name === undefined ? undefined : <span className="json-key">{printable(name)}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="json-leaf">
        {label}
        <span className={`json-${value === null ? 'null' : typeof value}`}>{printable(JSON.stringify(value))}</span>
      </div>
    );
  }
  const entries = Object.entries(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (entries.length === 0) {
    return (
      <div className="json-leaf">
        {label}
        {open}
        {close}
      </div>
    );
  }
  return (
    <Disclosure
      isOpen={depth > 0}
      summary={
        <>
          {label}
          <span className="muted">{Array.isArray(value) ? `[${entries.length}]` : jsonLine(value, 60)}</span>
        </>
      }
    >
      {() => (
        <div className="json-children">
          {entries.slice(0, maxChildren).map(([key, child]) => (
            <Node key={key} name={key} value={child} depth={depth - 1} />
          ))}
          {entries.length > maxChildren && <p className="muted">and {entries.length - maxChildren} more</p>}
        </div>
      )}
    </Disclosure>
  );
}
