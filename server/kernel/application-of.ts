/**
 * Returns the application of a procedure: `ConfigurationManager` for `configurationManager.getTree`
 * (contract/lifecycle#0.8).
 */
export const applicationOf = (path: string): string => {
  const area = path.split('.', 1)[0] ?? '';
  return area.charAt(0).toUpperCase() + area.slice(1);
};
