/** Whether an object is plain data, also of another realm: what its prototype inherits from is nothing, unlike a class or a built-in. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
