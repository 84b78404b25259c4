import type { StandardSchemaV1 } from '@modelcontextprotocol/server';

/** Parameters of the methods on tasks. */
export interface TaskParams {
  readonly taskId: string;
}

/** Parameters of a list. */
export interface ListParams {
  readonly cursor?: string;
}

/** Schema of {@link TaskParams}. */
export const taskParams: StandardSchemaV1<TaskParams, TaskParams> = schemaOf((value) => {
  const { taskId } = (value ?? {}) as Partial<TaskParams>;
  return typeof taskId === 'string' ? { taskId } : undefined;
});

/** Schema of {@link ListParams}. */
export const listParams: StandardSchemaV1<ListParams, ListParams> = schemaOf((value) => {
  const { cursor } = (value ?? {}) as Partial<ListParams>;
  if (cursor === undefined) return {};
  return typeof cursor === 'string' && cursor.length <= 1_000 ? { cursor } : undefined;
});

function schemaOf<Value>(read: (value: unknown) => Value | undefined): StandardSchemaV1<Value, Value> {
  return {
    '~standard': {
      version: 1,
      vendor: 'ravi',
      validate(value) {
        const result = read(value);
        return result === undefined ? { issues: [{ message: 'The parameters are not valid' }] } : { value: result };
      },
    },
  };
}
