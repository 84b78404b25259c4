import type { JsonObject, JsonValue } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import { JsonTree } from '../ui/json-tree.tsx';

/** Arguments by name, with long texts shown as text. */
export function ArgumentsView({ args }: { readonly args: JsonObject }) {
  const entries = Object.entries(args);
  if (entries.length === 0) return <p className="muted">No arguments.</p>;
  return (
    <dl className="arguments">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{printable(name)}</dt>
          <dd>
            <ValueView name={name} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ValueView({ name, value }: { readonly name: string; readonly value: JsonValue }) {
  if (typeof value === 'string') {
    if (value.includes('\n') || value.length > 120) {
      return (
        <pre className="arguments-text" role="region" aria-label={name} tabIndex={0}>
          {printable(value)}
        </pre>
      );
    }
    return <span>{value === '' ? <em className="muted">empty text</em> : printable(value)}</span>;
  }
  if (typeof value === 'object' && value !== null) return <JsonTree value={value} depth={1} />;
  return <code>{String(value)}</code>;
}
