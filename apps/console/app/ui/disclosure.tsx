import { useState } from 'react';
import type { ReactNode } from 'react';

/** Props of a {@link Disclosure}. */
export interface DisclosureProps {
  readonly summary: ReactNode;
  /** At first. */
  readonly isOpen?: boolean;
  readonly className?: string;
  readonly children: () => ReactNode;
}

/** Something that can be opened; what is in it is made while it is open, because there may be much of it. */
export function Disclosure({ summary, isOpen = false, className, children }: DisclosureProps) {
  const [open, setOpen] = useState(isOpen);
  return (
    <details className={className} open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {open && children()}
    </details>
  );
}
