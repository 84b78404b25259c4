import { useEffect } from 'react';
import type { ReactNode } from 'react';

/** Props of a {@link PageHeader}. */
export interface PageHeaderProps {
  readonly title: string;
  /** Shown next to the title. */
  readonly badge?: ReactNode;
  readonly children?: ReactNode;
  /** One line under the title. */
  readonly lead?: ReactNode;
  /** Way back to the list that holds this page. */
  readonly parent?: ReactNode;
}

/** The head of a page, which also names the document; its children are what one can do here. */
export function PageHeader({ title, badge, children, lead, parent }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Ravi`;
  }, [title]);
  return (
    <header className="page-header">
      {parent !== undefined && <div className="page-parent">{parent}</div>}
      <div className="page-title">
        <h1>{title}</h1>
        {badge}
        {children !== undefined && <div className="page-actions">{children}</div>}
      </div>
      {lead !== undefined && <p className="page-lead">{lead}</p>}
    </header>
  );
}
