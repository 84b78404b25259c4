import { jsonTextProblem } from '@ravi/support';
import { isRecord } from '../../declarations/definitions.ts';
import type { GivenProperty, GivenValue } from '../checks/judge-arguments.ts';
import type { Scalar } from '../value-shape.ts';

/** A name in a script, with the offset of its text in the source. */
export interface NamedPlace {
  readonly name: string;
  readonly offset: number;
  /** True unless the script may mean it as it is. */
  readonly isCertain: boolean;
}

/** A call of a tool. */
export interface GuestUse extends NamedPlace {
  /** Its arguments, if they are known. */
  readonly given: GivenValue | undefined;
}

/** A part that a script reads from the result of a tool. */
export interface GuestRead extends NamedPlace {
  readonly tool: string;
  /** The way from the result to the value that has the part: keys, and `*` for the items of a list. */
  readonly path: readonly string[];
  /** True for `value.name`, false for `value["name"]`. */
  readonly isAttribute: boolean;
}

/** The report of a guest about the text of a script. */
export interface GuestReport {
  readonly uses: readonly GuestUse[];
  /** Calls of names that the script does not define. */
  readonly bare: readonly NamedPlace[];
  readonly reads: readonly GuestRead[];
}

/** Returns the offset in the source of a place in the text that the guest has. */
export type OffsetOf = (place: { readonly line: number; readonly column: number }) => number;

const maxEntries = 1_000;
const maxDepth = 20;

/** Reads the report of a guest. Entries that do not have the right form are left out. */
export function readGuestReport(payload: string, offsetOf: OffsetOf): GuestReport {
  const report = parse(payload);
  const entries = <Entry>(name: string, read: (entry: Record<string, unknown>) => Entry | undefined): Entry[] => {
    const list = report[name];
    if (!Array.isArray(list)) return [];
    return list.slice(0, maxEntries).flatMap((entry) => (isRecord(entry) ? (read(entry) ?? []) : []));
  };
  return {
    uses: entries('uses', (entry) => {
      const place = placed(entry);
      return place && { ...place, given: readValue(entry['given'], 0) };
    }),
    bare: entries('bare', placed),
    reads: entries('reads', (entry) => {
      const place = placed(entry);
      const { tool, path, attribute } = entry;
      if (place === undefined || typeof tool !== 'string' || !Array.isArray(path)) return undefined;
      return { ...place, tool, path: path.map(String), isAttribute: attribute === true };
    }),
  };

  function placed(entry: Record<string, unknown>): NamedPlace | undefined {
    const { name, certain } = entry;
    const offset = readOffset(entry);
    return typeof name === 'string' && offset !== undefined ? { name, offset, isCertain: certain === true } : undefined;
  }

  function readOffset({ line, column }: Record<string, unknown>): number | undefined {
    if (!Number.isSafeInteger(line) || !Number.isSafeInteger(column)) return undefined;
    return offsetOf({ line: line as number, column: column as number });
  }

  function readValue(value: unknown, depth: number): GivenValue | undefined {
    const offset = isRecord(value) ? readOffset(value) : undefined;
    if (!isRecord(value) || offset === undefined || depth > maxDepth) return undefined;
    const { kind, items, properties, isWhole } = value;
    if (kind === 'text') return { kind, offset };
    if (kind === 'scalar') return isScalar(value['value']) ? { kind, value: value['value'], offset } : undefined;
    if (kind === 'array' && Array.isArray(items)) {
      return { kind, items: items.map((item) => readValue(item, depth + 1)), offset };
    }
    if (kind !== 'object' || !Array.isArray(properties)) return undefined;
    const read = properties.flatMap((property) => readProperty(property, depth) ?? []);
    return { kind, properties: read, isWhole: isWhole === true, offset };
  }

  function readProperty(property: unknown, depth: number): GivenProperty | undefined {
    if (!isRecord(property)) return undefined;
    const offset = readOffset(property);
    const { name } = property;
    if (typeof name !== 'string' || offset === undefined) return undefined;
    return { name, offset, value: readValue(property['value'], depth + 1) };
  }
}

function parse(payload: string): Record<string, unknown> {
  if (jsonTextProblem(payload) !== undefined) return {};
  try {
    const report: unknown = JSON.parse(payload);
    return isRecord(report) ? report : {};
  } catch {
    return {};
  }
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
