import { CircleAlert } from 'lucide-react';
import { RaviApiError } from '@ravi/client';
import { Button } from './button.tsx';

/** Notice that loading failed, with a button to try again. */
export function ErrorNotice({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  return (
    <div className="notice" role="alert">
      <CircleAlert aria-hidden size={20} />
      <div>
        <p>{error.message}</p>
        {error instanceof RaviApiError && <p className="code muted">{error.code}</p>}
      </div>
      {onRetry !== undefined && !isMissing(error) && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

function isMissing(error: Error): boolean {
  return error instanceof RaviApiError && error.status === 404;
}

/** One line with the error of an action; nothing without an error. */
export function ErrorText({ error }: { readonly error: Error | null }) {
  return (
    <p className="error-text" role="alert">
      {error?.message}
    </p>
  );
}
