import { useId } from 'react';
import type { ReactNode } from 'react';
import type { ApprovalView } from '@ravi/api';
import type { JsonObject, JsonValue } from '@ravi/kernel';
import { FieldHint, FieldTitle, LabelledField } from '../forms/labelled-field.tsx';

/** Field of the form of a request for input. */
export type InputField = NonNullable<ApprovalView['form']>[number];

/** Props of {@link InputFields}. */
export interface InputFieldsProps {
  readonly fields: readonly InputField[];
  readonly value: JsonObject;
  /** Problems of the server, by the JSON pointer of their field. */
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (value: JsonObject) => void;
}

/** Fields of a form that a running call asks a person to fill in. Place them in a `form`, which checks them. */
export function InputFields({ fields, value, problems, onChange }: InputFieldsProps) {
  return fields.map((field) => (
    <Field
      key={field.name}
      field={field}
      value={value[field.name]}
      problem={problems.get(`/${field.name.replaceAll('~', '~0').replaceAll('/', '~1')}`)}
      onChange={(changed) => {
        const { [field.name]: _before, ...others } = value;
        onChange(changed === undefined ? others : { ...value, [field.name]: changed });
      }}
    />
  ));
}

/** Returns the value with which a form begins: the defaults of its fields. */
export function firstValueOf(fields: readonly InputField[]): JsonObject {
  return Object.fromEntries(
    fields.flatMap(({ name, default: preset }) => (preset === undefined ? [] : [[name, preset] as const])),
  );
}

interface FieldProps {
  readonly field: InputField;
  readonly value: JsonValue | undefined;
  readonly problem: string | undefined;
  readonly onChange: (value: JsonValue | undefined) => void;
}

function Field({ field, value, problem, onChange }: FieldProps) {
  const id = useId();
  const { label, description, isRequired, kind } = field;
  const words = [description, problem === undefined ? undefined : `It ${problem}.`].filter(Boolean).join(' ');
  const hint = words === '' ? undefined : words;
  const attributes = {
    id,
    'aria-invalid': problem !== undefined,
    ...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` }),
  };
  if (kind === 'choices') {
    return (
      <fieldset className="field" aria-describedby={attributes['aria-describedby']}>
        <legend className="field-label">
          <FieldTitle label={label} isRequired={isRequired} />
        </legend>
        <FieldHint id={id} hint={hint} />
        <Choices field={field} value={value} onChange={onChange} />
      </fieldset>
    );
  }
  return (
    <LabelledField id={id} label={label} isRequired={isRequired} hint={hint}>
      {inputFor(field, value, onChange, attributes)}
    </LabelledField>
  );
}

function inputFor(
  { kind, format, choices = [], minimum, maximum, isRequired: required }: InputField,
  value: JsonValue | undefined,
  onChange: (value: JsonValue | undefined) => void,
  attributes: { readonly id: string },
): ReactNode {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  switch (kind) {
    case 'boolean':
      return (
        <input
          {...attributes}
          type="checkbox"
          checked={value === true}
          onChange={({ target }) => onChange(target.checked)}
        />
      );
    case 'choice':
      return (
        <select
          {...attributes}
          required={required}
          value={text}
          onChange={({ target }) => onChange(given(target.value))}
        >
          <option value="">Choose</option>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      );
    case 'number':
    case 'integer':
      return (
        <input
          {...attributes}
          type="number"
          step={kind === 'integer' ? 1 : 'any'}
          min={minimum}
          max={maximum}
          required={required}
          value={text}
          onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value))}
        />
      );
    default:
      return (
        <input
          {...attributes}
          type={format === undefined ? 'text' : inputTypes[format]}
          minLength={minimum}
          maxLength={maximum}
          required={required}
          value={text}
          onChange={({ target }) => onChange(given(target.value))}
        />
      );
  }
}

// The value of `datetime-local` has no time zone, so a time is typed as text.
const inputTypes = { email: 'email', uri: 'url', date: 'date', 'date-time': 'text' } as const;

function given(text: string): string | undefined {
  return text === '' ? undefined : text;
}

function Choices({ field: { choices = [] }, value, onChange }: Pick<FieldProps, 'field' | 'value' | 'onChange'>) {
  const chosen = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  return choices.map((choice) => (
    <label key={choice.value} className="choice">
      <input
        type="checkbox"
        checked={chosen.includes(choice.value)}
        onChange={({ target }) => {
          const others = chosen.filter((each) => each !== choice.value);
          const all = target.checked ? [...others, choice.value] : others;
          onChange(all.length === 0 ? undefined : all);
        }}
      />{' '}
      {choice.label}
    </label>
  ));
}
