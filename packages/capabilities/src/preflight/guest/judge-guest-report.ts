import { nearNames } from '@ravi/support';
import type { Tool } from '@ravi/kernel';
import { callOf } from '../../declarations/type-text.ts';
import { isForScripts } from '../../discovery/visible-tools.ts';
import type { KnownTools } from '../../discovery/visible-tools.ts';
import { judgeArguments } from '../checks/judge-arguments.ts';
import type { ArgumentWords } from '../checks/judge-arguments.ts';
import { inOrder, unknownToolFinding } from '../finding.ts';
import type { Finding } from '../finding.ts';
import { valueShape } from '../value-shape.ts';
import type { ValueShape } from '../value-shape.ts';
import type { GuestRead, GuestReport, GuestUse, NamedPlace } from './guest-report.ts';

const words: ArgumentWords = {
  kinds: {
    string: 'text',
    number: 'a number',
    integer: 'a whole number',
    boolean: 'True or False',
    null: 'None',
    array: 'a list',
    object: 'a dict',
  },
  form: 'named arguments, or one dict of them',
};
// Attributes of dicts, of results, and of the handle that stands for a result that is too large.
const attributes = new Set(
  `clear copy fromkeys get items keys pop popitem setdefault update values
   status ref error files text structured media_type size chunks bytes json lines path open save`.split(/\s+/),
);
const maxListed = 12;

/** Returns the findings about a script in Python from the report of its guest, in the order of its text. */
export function judgeGuestReport({ uses, bare, reads }: GuestReport, registry: KnownTools): readonly Finding[] {
  const known = new Set(uses.map(({ name }) => name));
  return inOrder([
    ...uses.flatMap((use) => judgeUse(use, registry)),
    ...bare.flatMap((name) => judgeBareName(name, registry)),
    ...reads.filter(({ tool }) => known.has(tool)).flatMap((read) => judgeRead(read, registry) ?? []),
  ]);
}

function judgeUse({ name, isCertain, offset, given }: GuestUse, registry: KnownTools): readonly Finding[] {
  if (registry.get(name) === undefined) return [unknownToolFinding(name, isCertain, offset)];
  const tool = scriptTool(name, registry);
  if (tool === undefined) return [];
  return judgeArguments({ name, args: valueShape(tool.inputSchema) }, given, offset, words);
}

// Whether it is defined elsewhere is known only for the text of the script.
function judgeBareName({ name, isCertain, offset }: NamedPlace, registry: KnownTools): readonly Finding[] {
  if (registry.get(name) === undefined) return [{ isCertain: false, message: `${name} is not defined`, offset }];
  const message = `${name} is not defined: it is a tool`;
  return [{ isCertain, message, offset, suggestion: `Call it as ${callOf(name)}` }];
}

function judgeRead({ tool, path, name, offset, isCertain, isAttribute }: GuestRead, registry: KnownTools) {
  const owner = shapeAt(scriptTool(tool, registry)?.outputSchema, path);
  const object = owner?.object;
  if (object === undefined || owner?.kinds?.join() !== 'object') return undefined;
  const names = [...object.properties.keys()];
  if (isAttribute) {
    const [near] = object.properties.has(name) ? [name] : nearNames(name, names);
    if (attributes.has(name) || near === undefined) return undefined;
    const message = `The value is a dict, which has no attribute ${JSON.stringify(name)}`;
    return { isCertain, message, offset, suggestion: `Read it as [${JSON.stringify(near)}]` };
  }
  if (object.others === 'described' || object.properties.has(name)) return undefined;
  const near = nearNames(name, names);
  const suggestion =
    near.length === 0 ? listOf(names) : `Did you mean ${near.map((other) => JSON.stringify(other)).join(' or ')}?`;
  return {
    isCertain: isCertain && (near.length > 0 || object.others === 'closed'),
    message: `The value has no property ${JSON.stringify(name)}`,
    offset,
    suggestion,
  };
}

// A schema that allows several kinds of values says nothing for certain about the parts of one.
function shapeAt(schema: unknown, path: readonly string[]): ValueShape | undefined {
  let shape: ValueShape | undefined = valueShape(schema);
  for (const step of path) {
    if (shape === undefined || shape.kinds?.length !== 1) return undefined;
    shape = step === '*' && shape.kinds[0] === 'array' ? shape.items : shape.object?.properties.get(step);
  }
  return shape;
}

function scriptTool(name: string, registry: KnownTools): Tool | undefined {
  const tool = registry.get(name);
  return tool !== undefined && isForScripts(tool) ? tool : undefined;
}

function listOf(names: readonly string[]): string {
  const more = names.length > maxListed ? `, and ${names.length - maxListed} more` : '';
  return `It has ${names.slice(0, maxListed).join(', ')}${more}`;
}
