import { useState } from 'react';
import type { ReactNode } from 'react';

/** Props of a {@link Disclosure}. */
export interface DisclosureProps {
  readonly summary: ReactNode;
  /** Initial state. */
  readonly isOpen?: boolean;
  readonly className?: string;
  readonly children: () => ReactNode;
}

/** A section that can be opened. Its content is rendered only while it is open, because it may be large. */
export function Disclosure({ summary, isOpen = false, className, children }: DisclosureProps) {
  const [open, setOpen] = useState(isOpen);
  return (
    <details className={className} open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {open && children()}
    </details>
  );
}
