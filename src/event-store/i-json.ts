/** How deep a value may be nested; what handles it by recursion then needs no other bound. */
export const jsonDepthMax = 100;

/** Half of a surrogate pair has no UTF-8: it would be stored as something else than was hashed. */
export const hasLoneSurrogate = (text: string): boolean => !text.isWellFormed();

/** Dates and maps are objects too, and JSON would make something else of them. Objects of other realms are plain all the same. */
export const isPlain = (object: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
};

/**
 * Finds what cannot be stored as it is: a number that is not finite, text that is not well-formed, a value that JSON has no
 * word for, or nesting of more than 100 levels. Inputs are refused at the edge for it, since an event must have a canonical form
 * (RFC 8785, RFC 7493).
 *
 * A field that is `undefined` is one that is not there; an element of a list cannot be.
 *
 * @param name what the path begins with
 * @returns the path of the first offending field, such as `payload.steps[3]`; nothing if all is well
 */
export const checkIJson = (value: unknown, name = '$'): string | undefined => find(value, name, 0);

const find = (value: unknown, path: string, depth: number): string | undefined => {
  switch (typeof value) {
    case 'string':
      return hasLoneSurrogate(value) ? path : undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : path;
    case 'boolean':
      return undefined;
    case 'object':
      if (value === null) return undefined;
      if (depth === jsonDepthMax) return path;
      return Array.isArray(value) ? findInList(value, path, depth) : findInObject(value, path, depth);
    case 'bigint':
    case 'function':
    case 'symbol':
    case 'undefined':
      return path;
  }
};

const findInList = (list: readonly unknown[], path: string, depth: number): string | undefined => {
  for (const [index, element] of list.entries()) {
    const found = find(element, `${path}[${index}]`, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
};

const findInObject = (object: object, path: string, depth: number): string | undefined => {
  if (!isPlain(object)) return path;
  for (const [key, member] of Object.entries(object)) {
    const memberPath = memberOf(path, key);
    if (hasLoneSurrogate(key)) return memberPath;
    const found = member === undefined ? undefined : find(member, memberPath, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
};

const memberOf = (path: string, key: string): string =>
  /^[\w$-]+$/u.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
