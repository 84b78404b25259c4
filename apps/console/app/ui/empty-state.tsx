import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** Props of an {@link EmptyState}. */
export interface EmptyStateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  /** What to do now. */
  readonly children?: ReactNode;
}

/** Says that there is nothing yet, and how there will be something. */
export function EmptyState({ icon: Icon, title, children }: EmptyStateProps) {
  return (
    <div className="empty">
      <Icon aria-hidden size={28} strokeWidth={1.5} />
      <h2>{title}</h2>
      {children !== undefined && <div className="muted">{children}</div>}
    </div>
  );
}
