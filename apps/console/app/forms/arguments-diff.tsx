import type { JsonObject, JsonValue } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import { changesBetween } from './changes.ts';

/** Props of an {@link ArgumentsDiff}. */
export interface ArgumentsDiffProps {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** What somebody has changed about arguments. */
export function ArgumentsDiff({ before, after }: ArgumentsDiffProps) {
  const changes = changesBetween(before, after);
  return (
    <section className="diff" aria-label="Changes" aria-live="polite">
      <h3>{changes.length === 0 ? 'No change yet' : `Your changes (${changes.length})`}</h3>
      <dl>
        {changes.map((change) => (
          <div key={change.name}>
            <dt>{printable(change.name)}</dt>
            <dd>
              {change.before !== undefined && <del>{textOf(change.before)}</del>}
              {change.after !== undefined && <ins>{textOf(change.after)}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function textOf(value: JsonValue): string {
  return printable(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}
