import type { ReactNode } from 'react';

/** Props of a {@link LabelledField}. */
export interface LabelledFieldProps {
  /** Id of the input; the hint has the same with `-hint`. */
  readonly id: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly hint?: string | undefined;
  readonly children: ReactNode;
}

/** An input with its label above, and a hint below the label. */
export function LabelledField({ id, label, isRequired, hint, children }: LabelledFieldProps) {
  return (
    <div className="field">
      <label htmlFor={id} className="field-label">
        <FieldTitle label={label} isRequired={isRequired} />
      </label>
      <FieldHint id={id} hint={hint} />
      {children}
    </div>
  );
}

/** The label of a field, marked if the field may stay empty. */
export function FieldTitle({ label, isRequired }: Pick<LabelledFieldProps, 'label' | 'isRequired'>) {
  return (
    <>
      {label}
      {!isRequired && <span className="field-optional">optional</span>}
    </>
  );
}

/** Description of the input with this id; nothing without a hint. */
export function FieldHint({ id, hint }: Pick<LabelledFieldProps, 'id' | 'hint'>) {
  if (hint === undefined) return null;
  return (
    <p className="field-hint" id={`${id}-hint`}>
      {hint}
    </p>
  );
}
