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
  /** Link to the list that this page belongs to. */
  readonly parent?: ReactNode;
}

/** Header of a page; also sets the document title. Its children are the actions of the page. */
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
