/** Whether two JSON values say the same: the order of an object's members means nothing, that of an array does. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  // Both are objects or both are arrays: either way their members are found by name.
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>];
  return names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name]));
}
