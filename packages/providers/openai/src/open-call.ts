import type { JsonObject } from '@ravi/kernel';
import { isJsonObject, parseArguments } from '@ravi/provider-kit';
import type { ResponseBuilder, OpenCall } from '@ravi/provider-kit';

/** A call as it begins on the wire. */
export interface CallStart {
  readonly id: string | undefined;
  readonly wireName: string;
}

/** No tool of a request can have it: dots are not allowed in names. */
const wrapperName = 'multi_tool_use.parallel';

/**
 * Opens a call. OpenAI's models at times call a tool that nobody gave them, `multi_tool_use.parallel`, with the calls that
 * they mean in its arguments; those take its place. Source: community.openai.com/t/490653, craft-agents-oss#449.
 */
export function openCall(builder: ResponseBuilder, start: CallStart): OpenCall {
  return start.wireName === wrapperName ? openWrapper(builder, start) : builder.openCall(start);
}

/** Says nothing before its end, since nothing it is called by is true. */
function openWrapper(builder: ResponseBuilder, start: CallStart): OpenCall {
  let text = '';
  let isEnded = false;
  return {
    id: start.id ?? '',
    get text() {
      return text;
    },
    append(piece) {
      text += piece;
    },
    end(end = {}) {
      if (isEnded) return;
      isEnded = true;
      const { whole = text, wasCut = false, caller } = end;
      const parsed = typeof whole === 'string' ? parseArguments(whole, { wasCut }) : whole;
      const meant = parsed.invalid === undefined ? meantCalls(parsed.arguments) : undefined;
      if (meant === undefined) return builder.openCall(start).end({ ...end, whole });
      for (const [index, { name, args }] of meant.entries()) {
        // What the provider keeps of a call is of one call alone, and its id too.
        const call = builder.openCall({ id: index === 0 ? start.id : undefined, wireName: name });
        call.end({ whole: args, wasCut, ...(caller === undefined ? {} : { caller }) });
      }
    },
  };
}

interface MeantCall {
  readonly name: string;
  /** JSON text. */
  readonly args: string;
}

/** The calls in the wrapper's arguments; `undefined` when those hold anything else. */
function meantCalls({ tool_uses: uses }: JsonObject): readonly MeantCall[] | undefined {
  if (!Array.isArray(uses) || uses.length === 0) return undefined;
  const meant = uses.filter(isJsonObject).flatMap(({ recipient_name: recipient, parameters = {} }) => {
    if (typeof recipient !== 'string') return [];
    const args = typeof parameters === 'string' ? parameters : JSON.stringify(parameters);
    return [{ name: recipient.replace(/^functions\./u, ''), args }];
  });
  return meant.length === uses.length ? meant : undefined;
}
