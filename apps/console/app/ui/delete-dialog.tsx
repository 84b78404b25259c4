import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { Button } from './button.tsx';
import { ErrorText } from './error-notice.tsx';

/** Props of {@link DeleteDialog}. */
export interface DeleteDialogProps {
  /** Button that opens the dialog. */
  readonly trigger: ReactElement;
  /** Question, such as "Delete this memory?". */
  readonly title: string;
  /** Effects on others. */
  readonly children: ReactNode;
  readonly remove: Pick<UseMutationResult<unknown, Error, void>, 'error' | 'isPending' | 'mutate'>;
}

/** Asks before something is deleted that cannot be brought back. */
export function DeleteDialog({ trigger, title, children, remove }: DeleteDialogProps) {
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger render={trigger} />
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog small">
          <AlertDialog.Title>{title}</AlertDialog.Title>
          <AlertDialog.Description>{children} This cannot be undone.</AlertDialog.Description>
          <ErrorText error={remove.error} />
          <div className="dialog-actions">
            <AlertDialog.Close render={<Button>Keep it</Button>} />
            <Button variant="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
              Delete for good
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
