import { printable } from '@ravi/approval-web/text';

/** Props of a {@link WarningList}. */
export interface WarningListProps {
  /** Warnings, one line each, as they were written. */
  readonly warnings: readonly string[];
}

/** Settings and files with mistakes, usually of typing; nothing without a warning. */
export function WarningList({ warnings }: WarningListProps) {
  if (warnings.length === 0) return null;
  return (
    <div className="notice" role="status">
      <ul className="warnings">
        {[...new Set(warnings)].map((warning) => (
          <li key={warning}>{printable(warning)}</li>
        ))}
      </ul>
    </div>
  );
}
