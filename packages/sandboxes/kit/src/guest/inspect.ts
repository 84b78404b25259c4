import type { Builtins } from './builtins.ts';

/** Renders a value for people. Never throws, never runs a getter. */
export type Inspect = (value: unknown) => string;

/**
 * Creates a function that renders any value: up to four levels, a hundred entries per collection and five thousand in total.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createInspect(builtins: Builtins): Inspect {
  const { getDescriptor, getPrototypeOf, ownKeys, hasOwn, isArray, isView, stringify, toText, tagOf } = builtins;
  const { indexOf, slice, repeat, regExpExec, isoDate, timeOf, functionText, regExpText, mapForEach, setForEach } =
    builtins;
  const maxDepth = 4;
  const maxEntries = 100;
  const maxTotal = 5_000;
  const maxText = 65_536;
  const lineWidth = 72;
  const identifier = /^[A-Za-z_$][\w$]*$/;

  interface Ancestor {
    readonly value: object;
    readonly parent: Ancestor | undefined;
  }
  interface Budget {
    left: number;
  }
  type Emit = (text: string) => void;

  return (value) => render(value, 0, undefined, { left: maxTotal });

  function render(value: unknown, depth: number, parent: Ancestor | undefined, budget: Budget): string {
    if (typeof value === 'string') return quoted(value);
    if (typeof value === 'bigint') return toText(value) + 'n';
    if (typeof value === 'number') return value === 0 && 1 / value < 0 ? '-0' : toText(value);
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return toText(value);
    for (let ancestor = parent; ancestor !== undefined; ancestor = ancestor.parent) {
      if (ancestor.value === value) return '[Circular]';
    }
    try {
      return renderObject(value, depth, { value, parent }, budget);
    } catch {
      return '[Unreadable]';
    }
  }

  function renderObject(value: object, depth: number, self: Ancestor, budget: Budget): string {
    if (typeof value === 'function') return functionLabel(value);
    const tag = slice(tagOf(value), 8, -1);
    const deeper = (inner: unknown): string => render(inner, depth + 1, self, budget);
    if (tag === 'Date')
      return timeOf(value as Date) === timeOf(value as Date) ? isoDate(value as Date) : 'Invalid Date';
    if (tag === 'RegExp') return regExpText(value as RegExp);
    if (tag === 'Error') return errorText(value, deeper);
    if (tag === 'Promise') return 'Promise {}';
    if (isArray(value)) {
      if (depth >= maxDepth) return '[Array]';
      return group('', '[', ']', depth, budget, value.length, (emit) => {
        for (let index = 0; index < value.length && index < maxEntries; index++) {
          const own = getDescriptor(value, toText(index));
          emit(own === undefined ? '<empty>' : slotText(own, deeper));
        }
      });
    }
    if (isView(value) && tag !== 'DataView') {
      const view = value as unknown as ArrayLike<unknown>;
      return group(tag + '(' + view.length + ') ', '[', ']', depth, budget, view.length, (emit) => {
        for (let index = 0; index < view.length && index < maxEntries; index++) emit(toText(view[index]));
      });
    }
    if (depth >= maxDepth) return '[' + (classOf(value) || 'Object') + ']';
    if (tag === 'Map') {
      return group('Map', ' {', '}', depth, budget, 0, (emit) =>
        mapForEach(value, (item, key) => emit(deeper(key) + ' => ' + deeper(item))),
      );
    }
    if (tag === 'Set') {
      return group('Set', ' {', '}', depth, budget, 0, (emit) => setForEach(value, (item) => emit(deeper(item))));
    }
    const name = classOf(value);
    return group(name === 'Object' ? '' : name + ' ', '{', '}', depth, budget, 0, (emit) =>
      eachProperty(value, (key, own) => emit(propertyName(key) + ': ' + slotText(own, deeper))),
    );
  }

  // Joins entries on one line if they fit, else one per line, with the number of those left out.
  function group(
    prefix: string,
    open: string,
    close: string,
    depth: number,
    budget: Budget,
    knownLength: number,
    fill: (emit: Emit) => void,
  ): string {
    let flat = '';
    let tall = '';
    let count = 0;
    let multiline = false;
    const indent = '\n' + repeat('  ', depth + 1);
    fill((text) => {
      count++;
      if (count > maxEntries || budget.left-- <= 0 || tall.length > maxText) return;
      if (indexOf(text, '\n', 0) !== -1) multiline = true;
      flat += (flat === '' ? '' : ', ') + text;
      tall += (tall === '' ? '' : ',') + indent + text;
    });
    if (knownLength > count) count = knownLength;
    if (count > maxEntries) {
      const more = '... ' + (count - maxEntries) + ' more';
      flat += ', ' + more;
      tall += ',' + indent + more;
    }
    if (flat === '') return prefix + open + close;
    if (multiline || flat.length > lineWidth) return prefix + open + tall + '\n' + repeat('  ', depth) + close;
    return open === '[' ? prefix + '[' + flat + ']' : prefix + open + ' ' + flat + ' ' + close;
  }

  function eachProperty(value: object, visit: (key: string | symbol, own: PropertyDescriptor) => void): void {
    const keys = ownKeys(value);
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] as string | symbol;
      const own = getDescriptor(value, key);
      if (own !== undefined && own.enumerable === true) visit(key, own);
    }
  }

  function slotText(own: PropertyDescriptor, deeper: (value: unknown) => string): string {
    if (hasOwn(own, 'value')) return deeper(own.value);
    return own.get === undefined ? '[Setter]' : '[Getter]';
  }

  function errorText(error: object, deeper: (value: unknown) => string): string {
    const name = dataProperty(error, 'name');
    const message = dataProperty(error, 'message');
    const label = typeof name === 'string' ? name : 'Error';
    let text = typeof message === 'string' && message !== '' ? label + ': ' + message : label;
    eachProperty(error, (key, own) => {
      if (key !== 'name' && key !== 'message') text += ' [' + propertyName(key) + ': ' + slotText(own, deeper) + ']';
    });
    const cause = getDescriptor(error, 'cause');
    return cause === undefined || cause.enumerable === true ? text : text + ' [cause: ' + slotText(cause, deeper) + ']';
  }

  // Returns the value of a data property along the prototype chain, without running getters.
  function dataProperty(value: object, key: string): unknown {
    for (let holder: object | null = value; holder !== null; holder = getPrototypeOf(holder)) {
      const own = getDescriptor(holder, key);
      if (own !== undefined) return own.value as unknown;
    }
    return undefined;
  }

  function classOf(value: object): string {
    if (getPrototypeOf(value) === null) return '[Object: null prototype]';
    const maker = dataProperty(value, 'constructor');
    const name = typeof maker === 'function' ? getDescriptor(maker, 'name')?.value : undefined;
    return typeof name === 'string' ? name : '';
  }

  function functionLabel(value: object): string {
    const name = getDescriptor(value, 'name')?.value as unknown;
    const kind = slice(functionText(value), 0, 6) === 'class ' ? 'class' : 'Function';
    return typeof name === 'string' && name !== '' ? '[' + kind + ': ' + name + ']' : '[' + kind + ' (anonymous)]';
  }

  function propertyName(key: string | symbol): string {
    if (typeof key === 'symbol') return '[' + toText(key) + ']';
    return regExpExec(identifier, key) === null ? quoted(key) : key;
  }

  function quoted(text: string): string {
    return stringify(text.length > maxText ? slice(text, 0, maxText) : text) as string;
  }
}
