import type { InvocationError, JsonObject, JsonSchema, JsonValue, ModelError } from '@ravi/kernel';
import { boolean, enumOf, extend, integer, number, object, sameAs, string, typed } from './schema.ts';
import type { ObjectSchema, Schema } from './schema.ts';

/** Any JSON value. */
export const jsonValue: Schema<JsonValue> = typed({});

/** Any JSON object. */
export const jsonObject: Schema<JsonObject> = typed({ type: 'object' });

/** A JSON Schema. */
export const jsonSchema: Schema<JsonSchema> = typed({ type: 'object' });

/** A whole number from 0. */
export const count: Schema<number> = integer({ minimum: 0 });

/** A moment in time. */
export const timestamp: Schema<number> = number({ description: 'Milliseconds since the Unix epoch.' });

/** A length of time. */
export const milliseconds: Schema<number> = number({ description: 'Milliseconds.' });

/** An id in a request. */
export const requestId: Schema<string> = string({ minLength: 1, maxLength: 100 });

/** Language of a script. */
export const language: Schema<'javascript' | 'python'> = enumOf(['javascript', 'python']);

/** Risk of a call. */
export const risk: Schema<'safe' | 'high' | 'critical'> = enumOf(['safe', 'high', 'critical']);

/** A failure. */
export const errorSchema: ObjectSchema<InvocationError> = sameAs<InvocationError>()(
  object({ code: string(), message: string(), retryable: boolean() }, { retryAfterMs: milliseconds }),
);

/** Fields of the error of a model, in addition to those of any error. */
export const modelErrorFields: {
  readonly status: Schema<number>;
  readonly providerCode: Schema<string>;
  readonly requestId: Schema<string>;
} = {
  status: integer({ description: 'HTTP status of the model provider.' }),
  providerCode: string({ description: "The model provider's own code." }),
  requestId: string({ description: "The model provider's id of the request." }),
};

/** Failure of a model. */
export const modelErrorSchema: ObjectSchema<ModelError> = sameAs<ModelError>()(
  extend(errorSchema, {}, modelErrorFields),
);
