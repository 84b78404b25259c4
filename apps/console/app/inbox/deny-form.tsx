import { useId } from 'react';
import { Button } from '../ui/button.tsx';

/** Props of a {@link DenyForm}. */
export interface DenyFormProps {
  readonly reason: string;
  readonly isBusy: boolean;
  readonly onChange: (reason: string) => void;
  readonly onSubmit: () => void;
  readonly onBack: () => void;
}

/** Form for the reason of a denial, which is shown to the model. */
export function DenyForm({ reason, isBusy, onChange, onSubmit, onBack }: DenyFormProps) {
  const id = useId();
  return (
    <form
      className="approval-form"
      onKeyDown={({ key }) => {
        if (key === 'Escape') onBack();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
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
      <div className="approval-actions">
        <Button variant="danger" type="submit" isBusy={isBusy}>
          Deny this call
        </Button>
        <Button variant="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
}
