import { LoaderCircle } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';

/** Props of a {@link Button}. */
export interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly icon?: LucideIcon;
  /** True while its work is in progress: it keeps its focus and ignores clicks. */
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

/** A button; `plain` by default. */
export function Button({ variant = 'plain', icon: Icon, isBusy = false, children, onClick, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className={`button ${variant} ${props.className ?? ''}`}
      aria-disabled={isBusy || props['aria-disabled']}
      onKeyDown={(event) => {
        // A key that is held down is one press.
        if (event.repeat && event.key !== 'Tab') event.preventDefault();
      }}
      onClick={(event) => {
        if (isBusy) return event.preventDefault();
        onClick?.(event);
      }}
    >
      {isBusy && <LoaderCircle aria-hidden size={16} className="spinner" />}
      {!isBusy && Icon !== undefined && <Icon aria-hidden size={16} strokeWidth={2} />}
      {children}
    </button>
  );
}

/** Props of an {@link IconButton}. */
export interface IconButtonProps extends ComponentProps<'button'> {
  readonly label: string;
  readonly icon: LucideIcon;
}

/** A button with an icon and an accessible name. */
export function IconButton({ label, icon: Icon, ...props }: IconButtonProps) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...props}
      className={`icon-button ${props.className ?? ''}`}
    >
      <Icon aria-hidden size={18} strokeWidth={1.75} />
    </button>
  );
}
