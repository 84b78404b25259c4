import type { JsonObject, JsonValue } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';

/** Props of an {@link ArgumentsDiff}. */
export interface ArgumentsDiffProps {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Shows the changes that an approver made to arguments. */
export function ArgumentsDiff({ before, after }: ArgumentsDiffProps) {
  const changes = changesBetween(before, after);
  return (
    <div className="diff" role="group" aria-label="Changes" aria-live="polite">
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
    </div>
  );
}

function textOf(value: JsonValue): string {
  return printable(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}

/** A changed argument; `undefined` where it is absent. */
export interface Change {
  readonly name: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** Returns the differences between two sets of arguments, in the order of the first. */
export function changesBetween(before: JsonObject, after: JsonObject): readonly Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .map((name) => ({ name, before: before[name], after: after[name] }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}
