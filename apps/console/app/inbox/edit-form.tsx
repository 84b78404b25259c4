import { useQuery } from '@tanstack/react-query';
import type { JsonObject } from '@ravi/kernel';
import { toolQuery } from '../api/queries.ts';
import { ArgumentsDiff, changesBetween } from '../forms/arguments-diff.tsx';
import { SchemaForm } from '../forms/schema-form.tsx';
import { Button } from '../ui/button.tsx';
import { Skeleton } from '../ui/loaded.tsx';
import { EndedActions } from './ended-draft.tsx';

/** Props of an {@link EditForm}. */
export interface EditFormProps {
  readonly tool: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly isBusy: boolean;
  readonly onChange: (args: JsonObject) => void;
  readonly onSubmit: (args: JsonObject) => void;
  readonly onBack: () => void;
  /** Present if the request has ended: the draft cannot be sent any more. */
  readonly onDiscard?: () => void;
}

/** Form that edits arguments before a call runs, and shows the differences. */
export function EditForm({ tool, before, after, isBusy, onChange, onSubmit, onBack, onDiscard }: EditFormProps) {
  const { data, isPending } = useQuery(toolQuery(tool));
  const isChanged = changesBetween(before, after).length > 0;
  if (isPending) return <Skeleton rows={3} />;
  return (
    <form
      className="approval-form"
      onKeyDown={({ key }) => {
        if (key === 'Escape' && onDiscard === undefined) onBack();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged && onDiscard === undefined) onSubmit(after);
      }}
    >
      <SchemaForm schema={data?.inputSchema} value={after} onChange={onChange} />
      <ArgumentsDiff before={before} after={after} />
      {onDiscard === undefined ? (
        <div className="approval-actions">
          <Button variant="primary" type="submit" isBusy={isBusy} aria-disabled={!isChanged}>
            Approve with changes
          </Button>
          <Button variant="quiet" onClick={onBack}>
            Back
          </Button>
        </div>
      ) : (
        <EndedActions text={JSON.stringify(after, null, 2)} what="the arguments" onDiscard={onDiscard} />
      )}
    </form>
  );
}
