/**
 * Returns the application of a procedure: `ConfigurationManager` for `configurationManager.getTree`
 * (contract/lifecycle#0.8).
 *
 * @param path area and name, joined by a dot
 */
export const applicationOf = (path: string): string => {
  const area = path.split('.', 1)[0] ?? '';
  return area.charAt(0).toUpperCase() + area.slice(1);
};
