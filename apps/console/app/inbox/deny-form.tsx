import { useId } from 'react';
import { Button } from '../ui/button.tsx';
import { EndedActions } from './ended-draft.tsx';

/** Props of a {@link DenyForm}. */
export interface DenyFormProps {
  readonly reason: string;
  readonly isBusy: boolean;
  readonly onChange: (reason: string) => void;
  readonly onSubmit: () => void;
  readonly onBack: () => void;
  /** Present if the request has ended: the draft cannot be sent any more. */
  readonly onDiscard?: () => void;
}

/** Form for the reason of a denial, which is shown to the model. */
export function DenyForm({ reason, isBusy, onChange, onSubmit, onBack, onDiscard }: DenyFormProps) {
  const id = useId();
  return (
    <form
      className="approval-form"
      onKeyDown={({ key }) => {
        if (key === 'Escape' && onDiscard === undefined) onBack();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (onDiscard === undefined) onSubmit();
      }}
    >
      <div className="field">
        <label htmlFor={id} className="field-label">
          Why not? <span className="field-optional">optional</span>
        </label>
        <p className="field-hint" id={`${id}-hint`}>
          The model reads this and can do better.
        </p>
        <textarea
          id={id}
          aria-describedby={`${id}-hint`}
          rows={3}
          value={reason}
          autoFocus
          maxLength={4_000}
          onChange={({ target }) => onChange(target.value)}
        />
      </div>
      {onDiscard === undefined ? (
        <div className="approval-actions">
          <Button variant="danger" type="submit" isBusy={isBusy}>
            Deny this call
          </Button>
          <Button variant="quiet" onClick={onBack}>
            Back
          </Button>
        </div>
      ) : (
        <EndedActions text={reason} what="the reason" onDiscard={onDiscard} />
      )}
    </form>
  );
}
