import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import type { JsonObject, JsonSchema, JsonValue } from '@ravi/kernel';
import { jsonLine } from '../ui/format.ts';
import { LabelledField } from './labelled-field.tsx';
import { fieldsOf } from './schema.ts';
import type { FieldDefinition } from './schema.ts';

/** Props of a {@link SchemaForm}. */
export interface SchemaFormProps {
  readonly schema?: JsonSchema | undefined;
  readonly value: JsonObject;
  readonly onChange: (value: JsonObject) => void;
}

/** Form fields for an object, from its schema and its current value. Place it in a `form`, which checks it. */
export function SchemaForm({ schema, value, onChange }: SchemaFormProps) {
  // The kind of a field does not change while the user types in it.
  const [fields] = useState(() => fieldsOf(schema, value));
  if (fields.length === 0) return <p className="muted">This takes no arguments.</p>;
  return <Fields fields={fields} value={value} onChange={onChange} />;
}

interface FieldsProps {
  readonly fields: readonly FieldDefinition[];
  readonly value: JsonObject;
  readonly onChange: (value: JsonObject) => void;
}

function Fields({ fields, value, onChange }: FieldsProps) {
  return fields.map((field) => (
    <Field
      key={field.name}
      field={field}
      value={value[field.name]}
      onChange={(changed) => {
        const { [field.name]: _before, ...others } = value;
        onChange(changed === undefined ? others : { ...value, [field.name]: changed });
      }}
    />
  ));
}

interface FieldProps {
  readonly field: FieldDefinition;
  readonly value: JsonValue | undefined;
  readonly onChange: (value: JsonValue | undefined) => void;
}

function Field({ field, value, onChange }: FieldProps) {
  const id = useId();
  const { name, kind, description, isRequired, fields } = field;
  if (kind === 'object') {
    return (
      <fieldset>
        <legend>{name}</legend>
        {description !== undefined && <p className="field-hint">{description}</p>}
        <Fields fields={fields} value={(value ?? {}) as JsonObject} onChange={onChange} />
      </fieldset>
    );
  }
  const hint = description === undefined ? {} : { 'aria-describedby': `${id}-hint` };
  return (
    <LabelledField id={id} label={name} isRequired={isRequired} hint={description}>
      {inputFor({ field, value, onChange }, { id, required: isRequired, ...hint })}
    </LabelledField>
  );
}

interface InputAttributes {
  readonly id: string;
  readonly required: boolean;
  readonly 'aria-describedby'?: string;
}

function inputFor({ field, value, onChange }: FieldProps, attributes: InputAttributes): ReactNode {
  const text = typeof value === 'string' ? value : '';
  switch (field.kind) {
    case 'text':
      return <input {...attributes} value={text} onChange={({ target }) => onChange(textOf(target.value, field))} />;
    case 'long-text':
      return (
        <textarea
          {...attributes}
          rows={6}
          value={text}
          onChange={({ target }) => onChange(textOf(target.value, field))}
        />
      );
    case 'number':
    case 'integer':
      return (
        <input
          {...attributes}
          type="number"
          step={field.kind === 'integer' ? 1 : 'any'}
          value={typeof value === 'number' ? value : ''}
          onChange={({ target }) => onChange(target.value === '' ? undefined : target.valueAsNumber)}
        />
      );
    case 'boolean':
      return (
        <input
          {...attributes}
          required={false}
          type="checkbox"
          checked={value === true}
          onChange={({ target }) => onChange(target.checked)}
        />
      );
    case 'choice':
      return (
        <select
          {...attributes}
          value={field.choices.indexOf(value ?? null)}
          onChange={({ target }) => onChange(field.choices[Number(target.value)])}
        >
          <option value={-1} disabled={field.isRequired}>
            {field.isRequired ? 'Choose' : 'Not set'}
          </option>
          {field.choices.map((choice, index) => (
            <option key={index} value={index}>
              {jsonLine(choice)}
            </option>
          ))}
        </select>
      );
    default:
      return <JsonInput attributes={attributes} value={value} onChange={onChange} />;
  }
}

/** Returns `undefined` for an empty text if the field is optional. */
function textOf(text: string, { isRequired }: FieldDefinition): string | undefined {
  return text === '' && !isRequired ? undefined : text;
}

interface JsonInputProps extends Omit<FieldProps, 'field'> {
  readonly attributes: InputAttributes;
}

function JsonInput({ attributes, value, onChange }: JsonInputProps) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  const [problem, setProblem] = useState('');

  function onInput(element: HTMLTextAreaElement): void {
    setText(element.value);
    const found = problemWith(element.value);
    element.setCustomValidity(found);
    setProblem(found);
    if (found === '') onChange(element.value.trim() === '' ? undefined : (JSON.parse(element.value) as JsonValue));
  }

  return (
    <>
      <textarea
        {...attributes}
        className="code"
        rows={Math.min(10, Math.max(2, text.split('\n').length))}
        value={text}
        placeholder="JSON"
        aria-invalid={problem !== ''}
        onChange={({ target }) => onInput(target)}
      />
      <p className="error-text" role="alert">
        {problem}
      </p>
    </>
  );
}

function problemWith(text: string): string {
  if (text.trim() === '') return '';
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return `This is not JSON yet: ${error instanceof Error ? error.message : String(error)}`;
  }
}
