/** Returns the names in a JSON pointer (RFC 6901), outermost first; null when it is invalid. */
export function pointerNames(pointer: string): string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return null;
  return namesOf(pointer);
}

/** Returns the names in a text that begins with a slash, as a JSON pointer does; invalid escapes stay as they are. */
export const namesOf = (pointer: string): string[] =>
  pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Returns the pointer to a field of the value at a pointer. */
export const pointerTo = (pointer: string, name: string): string =>
  `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
