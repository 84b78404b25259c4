import { useQuery } from '@tanstack/react-query';
import type { JsonObject } from '@ravi/kernel';
import { toolQuery } from '../api/queries.ts';
import { ArgumentsDiff, changesBetween } from '../forms/arguments-diff.tsx';
import { SchemaForm } from '../forms/schema-form.tsx';
import { Button } from '../ui/button.tsx';
import { Skeleton } from '../ui/loaded.tsx';

/** Props of an {@link EditForm}. */
export interface EditFormProps {
  readonly tool: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly isBusy: boolean;
  readonly onChange: (args: JsonObject) => void;
  readonly onSubmit: (args: JsonObject) => void;
  readonly onBack: () => void;
}

/** Form that edits arguments before a call runs, and shows the differences. */
export function EditForm({ tool, before, after, isBusy, onChange, onSubmit, onBack }: EditFormProps) {
  const { data, isPending } = useQuery(toolQuery(tool));
  const isChanged = changesBetween(before, after).length > 0;
  if (isPending) return <Skeleton rows={3} />;
  return (
    <form
      className="approval-form"
      onKeyDown={({ key }) => {
        if (key === 'Escape') onBack();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged) onSubmit(after);
      }}
    >
      <SchemaForm schema={data?.inputSchema} value={after} onChange={onChange} />
      <ArgumentsDiff before={before} after={after} />
      <div className="approval-actions">
        <Button variant="primary" type="submit" isBusy={isBusy} aria-disabled={!isChanged}>
          Approve with changes
        </Button>
        <Button variant="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
}
