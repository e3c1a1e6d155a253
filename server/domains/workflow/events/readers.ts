import { DOCUMENT_KINDS, isDocumentKind } from '#db/document-kinds/kinds.ts';
import { mayCall, type Rights } from '#server/kernel/principal.ts';

/**
 * Returns whether a caller's roles and permissions let it read documents of this kind at all: it may call the endpoint
 * that reads one. Events of a kind that declares none reach admins only.
 */
export function mayReadKind(rights: Pick<Rights, 'roles' | 'permissions'>, kind: string): boolean {
  const endpoint = isDocumentKind(kind) ? DOCUMENT_KINDS[kind].events : undefined;
  if (!endpoint) return rights.roles.includes('admin');
  return mayCall(rights, endpoint.roles, endpoint.permission);
}
