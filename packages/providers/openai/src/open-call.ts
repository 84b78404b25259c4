import type { JsonObject } from '@ravi/kernel';
import { isJsonObject, parseArguments } from '@ravi/provider-kit';
import type { OpenCall, ResponseBuilder } from '@ravi/provider-kit';

/** Start of a call on the wire. */
export interface CallStart {
  readonly id: string | undefined;
  readonly wireName: string;
}

/** Not a possible tool name, because names must not contain dots. */
const wrapperName = 'multi_tool_use.parallel';

/**
 * Opens a call. OpenAI's models sometimes call a tool that no request offers, `multi_tool_use.parallel`, with the
 * intended calls in its arguments. Those calls replace it. Source: community.openai.com/t/490653, craft-agents-oss#449.
 */
export function openCall(builder: ResponseBuilder, start: CallStart): OpenCall {
  return start.wireName === wrapperName ? openWrapper(builder, start) : builder.openCall(start);
}

/** Emits nothing before its end, because its own name and id are meaningless. */
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
        // Opaque data and id belong to one call, so only the first one keeps the id.
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

/** Returns the calls in the wrapper's arguments; `undefined` if they contain anything else. */
function meantCalls({ tool_uses: uses }: JsonObject): readonly MeantCall[] | undefined {
  if (!Array.isArray(uses) || uses.length === 0) return undefined;
  const meant = uses.filter(isJsonObject).flatMap(({ recipient_name: recipient, parameters = {} }) => {
    if (typeof recipient !== 'string') return [];
    const args = typeof parameters === 'string' ? parameters : JSON.stringify(parameters);
    return [{ name: recipient.replace(/^functions\./u, ''), args }];
  });
  return meant.length === uses.length ? meant : undefined;
}
