/**
 * Returns where people edit a document of the studio: clients show it after a write (contract/lifecycle#studio).
 *
 * @param kind `automation` is a workflow
 * @param name of the document
 * @returns a path of this service
 */
export const editLink = (kind: 'automation' | 'template', name: string): string =>
  `/automation-studio/#/edit?${kind}=${encodeURIComponent(name)}`;
