import type { JsonObject, JsonSchema } from '../base/json.ts';

/**
 * Request for input from a person during a call: a form, or a page to visit. Source: elicitation of the Model Context Protocol,
 * versions 2025-11-25 and 2026-07-28.
 */
export type ElicitationRequest =
  | {
      readonly mode: 'form';
      readonly message: string;
      /** Object schema of the answer, with fields of primitive types and lists of choices only. */
      readonly schema: JsonSchema;
    }
  | {
      readonly mode: 'url';
      readonly message: string;
      /** HTTPS address, or one of this machine. The person sees its host before the page opens. */
      readonly url: string;
    };

/** Answer to an {@link ElicitationRequest}. */
export type ElicitationResult =
  /** The person answered. `content` fits the schema of a form; it is absent for a page. */
  | { readonly action: 'accept'; readonly content?: JsonObject }
  /** The person refused. */
  | { readonly action: 'decline' }
  /** No answer came in time, or the request was withdrawn. */
  | { readonly action: 'cancel' };
