/** Returns the names that a JSON pointer (RFC 6901) is made of, from the outermost; null when it is none. */
export function pointerNames(pointer: string): string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return null;
  return pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the pointer to a member of what a pointer leads to. */
export const pointerTo = (pointer: string, name: string): string =>
  `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
